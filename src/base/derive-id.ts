/** Ids that every process derives from the same names. */

import { toBase32 } from './to-base32.js'

const idLength = 26

/** The latest ids by the JSON of their names, because a digest costs more than a read of an item. */
const knownIds = new Map<string, string>()
const maxKnownIds = 4_096

/**
 * Returns an id of 26 characters of lowercase base32: the first 130 bits of the SHA-256 digest of
 * the JSON of the names. It counts as a chosen id, because the ids that a vault makes begin with
 * other characters.
 */
export async function deriveId(names: readonly string[]): Promise<string> {
  const text = JSON.stringify(names)
  const known = knownIds.get(text)
  if (known !== undefined) return known
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  const id = toBase32(new Uint8Array(digest)).slice(0, idLength)
  if (knownIds.size >= maxKnownIds) knownIds.clear()
  knownIds.set(text, id)
  return id
}

/** Returns the id of the item of a credential or grant. It is the same in every process. */
export function deriveItemId(
  kind: 'credential' | 'grant',
  vaultId: string,
  { name, account = '' }: { readonly name: string; readonly account?: string | undefined },
): Promise<string> {
  return deriveId([kind, vaultId, name, account])
}
