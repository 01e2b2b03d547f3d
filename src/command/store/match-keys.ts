/** Finds out which keys of a store the key files of a command are. */

import { safeGet } from '../../base/safe-get.js'
import { walkPages } from '../../base/walk-pages.js'
import { DecryptionError, type RecordStore } from '../../index.js'
import type { KeyProvider } from '../../storage/encrypted.js'

/** Which keys of a store the key files open. A key of a file has no name: the application chooses it. */
export interface MatchedKeys {
  /**
   * Wraps with one of the first key file's keys, if it opens any, and unwraps with whichever file
   * opens a key: two files can have the same name in a store.
   */
  readonly provider: KeyProvider
  /** The names of the stored keys that no key file opens. */
  readonly missing: readonly string[]
}

/** The keys of files, at least one. */
export type KeyFiles = readonly [Uint8Array, ...Uint8Array[]]

/** The name of a single key of `createLocalKeyProvider`, and so of the first key of a store. */
const defaultKeyName = 'local'
const pageSize = 1000

/**
 * Reads the names of the KEKs in the key rings of a store, and unwraps one key of each name. Reads
 * every key ring, because vaults can have different ones while the KEK is being replaced.
 */
export async function matchKeys(records: Lister, files: KeyFiles): Promise<MatchedKeys> {
  const [first] = files
  const opened = new Map<string, Uint8Array>()
  const missing: string[] = []
  for (const [name, key] of await findExamples(records)) {
    const file = await findFile(files, key)
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
      current,
    })
  const [first, ...others] = [toProvider(files[0]), ...files.slice(1).map(toProvider)]
  return {
    ...first,
    async unwrap(...call) {
      for (const provider of [first, ...others]) {
        try {
          return await provider.unwrap(...call)
        } catch (error) {
          if (!(error instanceof DecryptionError)) throw error
        }
      }
      throw new DecryptionError()
    },
  }
}

/** Returns the first of the keys that opens a stored key, undefined if none does. */
export async function findFile(
  files: KeyFiles,
  { name, scope, keyId, wrapped }: WrappedExample,
): Promise<Uint8Array | undefined> {
  for (const file of files) {
    const { unwrap } = await createFileKeyProvider([file], [name], name)
    const context = { purpose: 'cofferkit data key', scope, keyId } as const
    const isOpened = await unwrap(name, wrapped, context).then(
      () => true,
      () => false,
    )
    if (isOpened) return file
  }
  return undefined
}

/** A stored key: the name of its KEK, the wrapped bytes, and what they are bound to. */
export interface WrappedExample {
  readonly name: string
  readonly scope: string
  readonly keyId: string
  readonly wrapped: Uint8Array
  /** True if the key is the newest one of its ring. */
  readonly isNewest: boolean
}

/**
 * Yields a stored key of each name in each key ring, from the collection `keys`
 * (storage/encrypted/FORMAT.md).
 */
export async function* listExamples(records: Lister): AsyncGenerator<WrappedExample> {
  const list = records.list.bind(records, 'keys')
  for await (const { id: scope, body } of walkPages(list, { limit: pageSize })) {
    const entries = parseRing(body)
    // The last key of a name is kept.
    const byName = new Map(entries.map((entry) => [entry.kekId, entry]))
    for (const [name, entry] of byName) {
      const wrapped = new Uint8Array(Buffer.from(entry.wrapped, 'base64'))
      const isNewest = entry === entries.at(-1)
      yield { name, scope, keyId: String(entry.id), wrapped, isNewest }
    }
  }
}

/** Returns a stored key of each name. The last one is that of the newest key of a ring. */
async function findExamples(records: Lister): Promise<ReadonlyMap<string, WrappedExample>> {
  const former = new Map<string, WrappedExample>()
  const current = new Map<string, WrappedExample>()
  for await (const example of listExamples(records)) {
    const names = example.isNewest ? current : former
    if (!names.has(example.name)) names.set(example.name, example)
  }
  return new Map([...former].filter(([name]) => !current.has(name)).concat([...current]))
}

type Lister = Pick<RecordStore, 'list'>

interface RingEntry {
  readonly id: number
  readonly kekId: string
  readonly wrapped: string
}

/** Returns the entries of a key ring, none if it is damaged, which the encrypted store reports. */
function parseRing(body: Uint8Array): readonly RingEntry[] {
  try {
    const keys: unknown = JSON.parse(new TextDecoder().decode(body)).keys
    return Array.isArray(keys) ? keys.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(entry: unknown): entry is RingEntry {
  const [name, wrapped] = [safeGet(entry, 'kekId'), safeGet(entry, 'wrapped')]
  const isName = typeof name === 'string' && name.isWellFormed()
  return isName && name.length >= 1 && name.length <= 2048 && typeof wrapped === 'string'
}
