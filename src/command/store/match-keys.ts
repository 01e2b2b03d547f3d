/** Finds out which key rings of a store the key files of a command open. */

import type { RecordStore } from '../../index.js'
import type { KeyProvider, StoredKeyRing } from '../../storage/encrypted.js'

/** Which key rings of a store the key files open. */
export interface MatchedKeys {
  /** Wraps with the first key file that opens a ring, or the first one if none does. */
  readonly provider: KeyProvider
  /** The ids of the keys that open a ring and are in no key file. */
  readonly missing: readonly string[]
}

/** The keys of files, at least one. */
export type KeyFiles = readonly [Uint8Array, ...Uint8Array[]]

/** Compares the ids of the keys in the files with those in the key rings of a store. */
export async function matchKeys(records: RecordStore, files: KeyFiles): Promise<MatchedKeys> {
  const stored = new Set<string>()
  for await (const { kekId } of listRingsWithKeys(records)) stored.add(kekId)
  const ids = await Promise.all(
    files.map(async (key) => (await createFileKeyProvider([key])).currentKekId),
  )
  const index = ids.findIndex((id) => stored.has(id))
  const provider = await createFileKeyProvider(files, Math.max(index, 0))
  const missing = [...stored].filter((id) => !ids.includes(id)).sort()
  return { provider, missing }
}

/** Creates a provider with the keys of files, that wraps with one of them, by default the first. */
export async function createFileKeyProvider(files: KeyFiles, current = 0): Promise<KeyProvider> {
  const { createLocalKeyProvider } = await import('../../storage/encrypted.js')
  const keys = Object.fromEntries(files.map((key, index) => [`${index}`, key]))
  return createLocalKeyProvider({ keys, keyId: `${current}` })
}

/** Yields every key ring that has keys. Skips a damaged one, because the encrypted store reports it. */
export async function* listRingsWithKeys(
  records: RecordStore,
): AsyncGenerator<StoredKeyRing & { readonly kekId: string }> {
  const { listKeyRings } = await import('../../storage/encrypted.js')
  for await (const ring of listKeyRings(records)) {
    const { kekId } = ring
    if (kekId !== undefined) yield { ...ring, kekId }
  }
}
