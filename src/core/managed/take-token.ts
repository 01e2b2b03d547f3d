/** How the secret fetch takes a token from a keeper. It imports nothing, so neither loads the operations. */

/**
 * The method of a token keeper that returns an access token to the secret fetch, which has checked
 * the permission and records the use: `(ref: ItemRef, rejected?: string) => Promise<string>`.
 */
export const takeTokenMethod: unique symbol = Symbol.for('cofferkit.takeToken')
