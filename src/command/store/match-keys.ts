/** Finds out which keys of a store the key files of a command open. */

import { DecryptionError, type RecordStore } from '../../index.js'
import type { KeyProvider, WrappedKey } from '../../storage/encrypted.js'

/**
 * Which keys of a store the key files open. The key in a file has no name, because the application
 * chooses it.
 */
export interface MatchedKeys {
  /**
   * Wraps with one of the first key file's keys, if it opens any. Unwraps with whichever file opens
   * a key, because two files may have the same name in a store.
   */
  readonly provider: KeyProvider
  /** The names of the stored keys that no key file opens. */
  readonly missing: readonly string[]
}

/** The keys of files, at least one. */
export type KeyFiles = readonly [Uint8Array, ...Uint8Array[]]

/** The name of a single key of `createLocalKeyProvider`, and so of the first key of a store. */
const defaultKeyName = 'local'

/**
 * Reads the names of the KEKs in the key rings of a store, and unwraps one key of each name. Reads
 * every key ring, because vaults can have different ones while the KEK is being replaced.
 */
export async function matchKeys(records: RecordStore, files: KeyFiles): Promise<MatchedKeys> {
  const [first] = files
  const opened = new Map<string, Uint8Array>()
  const missing: string[] = []
  for (const [name, example] of await findExamples(records)) {
    const file = (await findFile(files, example)) ?? (await findMajority(records, name, files))
    if (file === undefined) missing.push(name)
    else opened.set(name, file)
  }
  const names = [...opened.keys()]
  const ofFirst = names.filter((name) => opened.get(name) === first)
  const current = ofFirst.at(-1) ?? names.at(-1) ?? defaultKeyName
  const wrapping = opened.get(current) ?? first
  const provider = await createFileKeyProvider([wrapping, ...files], names, current)
  return { provider, missing: missing.sort() }
}

/**
 * Creates a provider that wraps with the first file's key under the name `current`. It unwraps keys
 * of any of the names with whichever file opens them.
 */
export async function createFileKeyProvider(
  files: KeyFiles,
  names: Iterable<string>,
  current: string,
): Promise<KeyProvider> {
  const { createLocalKeyProvider } = await import('../../storage/encrypted.js')
  const all = new Set([...names, current])
  const toProvider = (key: Uint8Array): KeyProvider =>
    createLocalKeyProvider({
      keys: Object.fromEntries([...all].map((name) => [name, key])),
      keyId: current,
    })
  const [first, ...others] = [toProvider(files[0]), ...files.slice(1).map(toProvider)]
  return {
    ...first,
    async unwrap(...call) {
      let failure: unknown
      for (const provider of [first, ...others]) {
        try {
          return await provider.unwrap(...call)
        } catch (error) {
          if (!(error instanceof DecryptionError)) throw error
          failure = error
        }
      }
      throw failure
    },
  }
}

/**
 * Returns the key that opens most of the key rings under a name, or undefined if none does. If one
 * ring is damaged, that affects only its scope.
 */
async function findMajority(
  records: RecordStore,
  name: string,
  files: KeyFiles,
): Promise<Uint8Array | undefined> {
  const counts = new Map<Uint8Array | undefined, number>()
  for await (const stored of listStoredKeys(records)) {
    if (stored.key.kekId !== name) continue
    const file = await findFile(files, stored)
    counts.set(file, (counts.get(file) ?? 0) + 1)
  }
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return [...counts].find(([, count]) => count > all / 2)?.[0]
}

/** A data key of a store. */
export interface StoredKey {
  readonly scope: string
  readonly key: WrappedKey
  /** True if the key is the newest one of its ring. */
  readonly isNewest: boolean
}

/** Returns the first of the keys that opens a data key, or undefined if none does. */
export async function findFile(
  files: KeyFiles,
  { scope, key }: Pick<StoredKey, 'scope' | 'key'>,
): Promise<Uint8Array | undefined> {
  const { canUnwrap } = await import('../../storage/encrypted.js')
  for (const file of files) {
    const provider = await createFileKeyProvider([file], [key.kekId], key.kekId)
    if (await canUnwrap(provider, scope, key)) return file
  }
  return undefined
}

/**
 * Yields the newest data key under each KEK in each key ring. Skips a damaged ring, because the
 * encrypted store reports it.
 */
export async function* listStoredKeys(records: RecordStore): AsyncGenerator<StoredKey> {
  const { listKeyRings } = await import('../../storage/encrypted.js')
  for await (const { scope, keys = [] } of listKeyRings(records)) {
    const newest = new Map(keys.map((key) => [key.kekId, key]))
    for (const key of newest.values()) yield { scope, key, isNewest: key === keys.at(-1) }
  }
}

/**
 * Returns one data key under each KEK, by the name of the KEK. The last one is that of the newest key
 * of a ring.
 */
async function findExamples(records: RecordStore): Promise<ReadonlyMap<string, StoredKey>> {
  const former = new Map<string, StoredKey>()
  const current = new Map<string, StoredKey>()
  for await (const stored of listStoredKeys(records)) {
    const examples = stored.isNewest ? current : former
    if (!examples.has(stored.key.kekId)) examples.set(stored.key.kekId, stored)
  }
  return new Map([...former].filter(([name]) => !current.has(name)).concat([...current]))
}
