/** Encrypted stores with new keys, and access to the inner store. */

import type { RecordKey, VaultStore } from '../../../src/index.js'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  type EncryptedStore,
  type KeyProvider,
} from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { readBytes, streamOf } from '../bytes.js'

/** Creates a key provider with a new key. */
export function createKeys(): KeyProvider {
  return createLocalKeyProvider({ key: crypto.getRandomValues(new Uint8Array(32)) })
}

/** Wraps a store with new keys. */
export function encryptStore(inner: VaultStore = createMemoryStore()): EncryptedStore {
  return createEncryptedStore(inner, { keys: createKeys() })
}

/** Writes bytes to the inner store, over any existing record, like an attacker. */
export async function overwriteInner(
  { records }: VaultStore,
  key: RecordKey,
  record: { readonly body: Uint8Array; readonly indexKey?: string },
  version = 1,
): Promise<void> {
  const found = await records.get(key)
  if (found !== undefined) await records.delete(key, found.version)
  for (let expectedVersion = 0; expectedVersion < version; expectedVersion++)
    await records.put(key, record, expectedVersion)
}

/** A store that keeps a copy of every write. */
export interface CopyingStore extends VaultStore {
  readonly written: (RecordKey & { readonly body: Uint8Array; readonly indexKey?: string })[]
  readonly contents: { readonly id: string; readonly bytes: Uint8Array }[]
}

/** Copies everything that is written to a store. */
export function copyWrites({ records, blobs }: VaultStore): CopyingStore {
  const written: CopyingStore['written'] = []
  const contents: CopyingStore['contents'] = []
  return {
    written,
    contents,
    records: {
      ...records,
      put(key, record, expectedVersion) {
        written.push({ ...key, ...record })
        return records.put(key, record, expectedVersion)
      },
    },
    blobs: {
      ...blobs,
      async write(id, content) {
        const bytes = await readBytes(content)
        contents.push({ id, bytes })
        await blobs.write(id, streamOf([bytes]))
      },
    },
  }
}

/** Returns everything that was ever written, byte for byte, as one string. */
export function joinWrites({ written, contents }: CopyingStore): string {
  const records = written.map(
    ({ collection, id, indexKey = '', body }) => `${collection} ${id} ${indexKey} ${latin1(body)}`,
  )
  return [...records, ...contents.map(({ id, bytes }) => `${id} ${latin1(bytes)}`)].join('\n')
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}
