/**
 * How the secret fetch takes a token from a keeper. This file imports nothing, so that neither of
 * them loads the operations.
 */

/**
 * The method by which a token keeper returns an access token to the secret fetch, which has already
 * checked the permission and records the use:
 * `(ref: ItemRef, rejected?: string) => Promise<string>`.
 */
export const takeTokenMethod: unique symbol = Symbol.for('cofferkit.takeToken')
