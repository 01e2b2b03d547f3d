/** The ids that only the vault makes. */

/**
 * Returns true if `id` is one that only the vault makes: 26 characters that begin with 0, 1, 8 or
 * 9, as neither base32 nor the ids of the published service do. They are never used again, so they
 * cannot be chosen. So nothing that is left of a deleted item, such as a version whose deletion was
 * interrupted, can belong to a new one.
 */
export function isReservedId(id: string): boolean {
  return /^[0189][\da-z]{25}$/.test(id)
}

/** The message for a chosen id that is reserved. */
export const reservedIdMessage =
  'must not begin with 0, 1, 8 or 9, because only ids that the vault makes begin so'
