/** Finds out which keys of a store the key files of a command are. */

import { safeGet } from '../../base/safe-get.js'
import { walkPages } from '../../base/walk-pages.js'
import type { RecordStore } from '../../index.js'
import type { KeyProvider } from '../../storage/encrypted.js'

/** The keys of a store by their names. A key of a file has none: the application chooses it. */
export interface MatchedKeys {
  /** The names that the key files open, and each with the key that opens it. */
  readonly keys: Readonly<Record<string, Uint8Array>>
  /** The name under which new data keys are wrapped: one of the first key file, if it opens any. */
  readonly current: string
  /** The names of the stored keys that no key file opens. */
  readonly missing: readonly string[]
}

/** The name of a single key of `createLocalKeyProvider`, and so of the first key of a store. */
export const defaultKeyName = 'local'
const pageSize = 1000

/**
 * Reads the names of the KEKs in the key rings of a store, and unwraps one key of each name. Reads
 * every key ring, because vaults can have different ones while the KEK is being replaced.
 * @param files - The keys of the files, at least one.
 */
export async function matchKeys(
  records: Pick<RecordStore, 'list'>,
  files: readonly [Uint8Array, ...Uint8Array[]],
): Promise<MatchedKeys> {
  const [first] = files
  const { createLocalKeyProvider } = await import('../../storage/encrypted.js')
  const keys = new Map<string, Uint8Array>()
  const missing: string[] = []
  for (const [name, example] of await findNames(records)) {
    const opens = (key: Uint8Array): Promise<boolean> =>
      canUnwrap(createLocalKeyProvider({ keys: { [name]: key }, current: name }), name, example)
    const results = await Promise.all(files.map(opens))
    const key = files[results.indexOf(true)]
    if (key === undefined) missing.push(name)
    else keys.set(name, key)
  }
  const opened = [...keys.keys()]
  const ofFirst = opened.filter((name) => keys.get(name) === first)
  const current = ofFirst.at(-1) ?? opened.at(-1) ?? defaultKeyName
  return { keys: Object.fromEntries([[current, first], ...keys]), current, missing: missing.sort() }
}

/** A wrapped key, and what it is bound to. */
interface Example {
  readonly scope: string
  readonly keyId: string
  readonly wrapped: Uint8Array
}

/**
 * Returns a wrapped key of each name, from the collection `keys` (storage/encrypted/FORMAT.md). The
 * last one is that of the newest key of a ring.
 */
export async function findNames(
  records: Pick<RecordStore, 'list'>,
): Promise<ReadonlyMap<string, Example>> {
  const former = new Map<string, Example>()
  const current = new Map<string, Example>()
  const list = records.list.bind(records, 'keys')
  for await (const { id: scope, body } of walkPages(list, { limit: pageSize })) {
    const entries = parseRing(body)
    for (const [index, { id, kekId, wrapped }] of entries.entries()) {
      const names = index === entries.length - 1 ? current : former
      const bytes = new Uint8Array(Buffer.from(wrapped, 'base64'))
      if (!names.has(kekId)) names.set(kekId, { scope, keyId: String(id), wrapped: bytes })
    }
  }
  return new Map([...former].filter(([name]) => !current.has(name)).concat([...current]))
}

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

async function canUnwrap(
  provider: KeyProvider,
  name: string,
  { wrapped, scope, keyId }: Example,
): Promise<boolean> {
  const purpose = 'cofferkit data key'
  try {
    await provider.unwrap(name, wrapped, { purpose, scope, keyId })
    return true
  } catch {
    return false
  }
}
