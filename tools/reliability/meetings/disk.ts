/** The store that the processes of a program share: it can be inspected, damaged and rolled back. */

import type { BlobContent, RecordKey, RecordStore, VaultStore } from 'cofferkit'

/** A store with everything that a checker wants to know about it. */
export interface Disk {
  /** The store that the processes use. */
  readonly store: VaultStore
  /** The records under which a nonce was written a second time. */
  readonly reusedNonces: readonly string[]
  /** The number of records and blobs that were ever written. */
  readonly size: number
  /** Returns the keys of all records whose collection ends with this scope. */
  recordsOf(scope: string): Promise<readonly string[]>
  /** Returns the ids of all blobs of this scope. */
  blobsOf(scope: string): Promise<readonly string[]>
  /** Flips one bit in the middle of a record, whose version and index key stay the same. */
  damage(key: RecordKey): Promise<void>
  /** Deletes everything. */
  wipe(): Promise<void>
  /** Until `rollBack`, every write can be undone. */
  begin(): void
  /** Undoes every write since `begin`. */
  rollBack(): Promise<void>
  /** Begins a transaction that others do not write in. */
  openTransaction(): DiskTransaction
}

/** A transaction of the embedder that the store takes part in. */
export interface DiskTransaction {
  /** The records of the store, whose writes are part of the transaction. */
  readonly records: RecordStore
  /** Undoes its writes, and no others. */
  rollBack(): Promise<void>
}

interface SavedRecord {
  readonly body: Uint8Array
  readonly version: number
  readonly indexKey: string | undefined
}

const maxRecords = 10_000
/** The bytes of an envelope before its blind index: see `src/storage/encrypted/FORMAT.md`. */
const fixedLength = 8
const blindIndexLength = 16
const nonceLength = 24
const tagLength = 16

/** Wraps an engine's store. No other object may write to it. */
export function createDisk({ records, blobs }: VaultStore): Disk {
  const collections = new Set<string>()
  const names = new Set<string>()
  const blobIds = new Set<string>()
  const indexKeys = new Map<string, string>()
  const envelopeByNonce = new Map<string, string>()
  const reusedNonces: string[] = []
  /** The records before the transaction, by key; undefined outside of one. */
  let undoRecords: Map<string, { key: RecordKey; saved: SavedRecord | undefined }> | undefined
  let undoBlobs: Map<string, Uint8Array | undefined> | undefined

  const load = async (key: RecordKey): Promise<SavedRecord | undefined> => {
    const record = await records.get(key)
    return record && { ...record, indexKey: indexKeys.get(nameOf(key)) }
  }
  const remember = async (key: RecordKey): Promise<void> => {
    collections.add(key.collection)
    names.add(nameOf(key))
    if (undoRecords === undefined || undoRecords.has(nameOf(key))) return
    undoRecords.set(nameOf(key), { key, saved: await load(key) })
  }
  const rememberBlob = async (id: string): Promise<void> => {
    blobIds.add(id)
    if (undoBlobs === undefined || undoBlobs.has(id)) return
    const content = await blobs.read(id)
    undoBlobs.set(id, content && (await readBytes(content)))
  }
  /** Stores a record again, at its version, which can only be reached through those before it. */
  const restore = async (key: RecordKey, saved: SavedRecord | undefined): Promise<void> => {
    await records.delete(key, (await records.get(key))?.version ?? 0)
    if (saved === undefined) return
    const { body, version, indexKey } = saved
    const record = indexKey === undefined ? { body } : { body, indexKey }
    for (let before = 0; before < version; before++) await records.put(key, record, before)
  }

  const store: VaultStore = {
    records: {
      get: (key) => records.get(key),
      list: (collection, query) => records.list(collection, query),
      async put(key, record, expectedVersion) {
        await remember(key)
        noteNonce(key, record.body)
        const isWritten = await records.put(key, record, expectedVersion)
        if (!isWritten) return false
        if (record.indexKey === undefined) indexKeys.delete(nameOf(key))
        else indexKeys.set(nameOf(key), record.indexKey)
        return true
      },
      async delete(key, expectedVersion) {
        await remember(key)
        return records.delete(key, expectedVersion)
      },
    },
    blobs: {
      read: (id) => blobs.read(id),
      async write(id, content) {
        await rememberBlob(id)
        await blobs.write(id, content)
      },
      async delete(id) {
        await rememberBlob(id)
        await blobs.delete(id)
      },
    },
  }

  return {
    reusedNonces,
    get size() {
      return names.size + blobIds.size
    },
    store,

    async recordsOf(scope) {
      const found: string[] = []
      for (const collection of collections)
        if (collection === scope || collection.endsWith(`/${scope}`))
          for (const { id } of await records.list(collection, { limit: maxRecords }))
            found.push(nameOf({ collection, id }))
      return found
    },
    async blobsOf(scope) {
      const found: string[] = []
      for (const id of blobIds)
        if (id.startsWith(`${scope}/`) && (await blobs.read(id)) !== undefined) found.push(id)
      return found
    },
    async wipe() {
      for (const collection of collections)
        for (const { id, version } of await records.list(collection, { limit: maxRecords }))
          await records.delete({ collection, id }, version)
      for (const id of blobIds) await blobs.delete(id)
    },
    async damage(key) {
      const saved = await load(key)
      if (saved === undefined) return
      const body = saved.body.slice()
      const middle = body.length - tagLength - 1
      body[middle] = (body[middle] ?? 0) ^ 1
      await restore(key, { ...saved, body })
    },
    begin() {
      undoRecords = new Map()
      undoBlobs = new Map()
    },
    async rollBack() {
      const [undone, undoneBlobs] = [undoRecords ?? [], undoBlobs ?? []]
      undoRecords = undefined
      undoBlobs = undefined
      for (const { key, saved } of new Map(undone).values()) await restore(key, saved)
      for (const [id, content] of undoneBlobs) {
        await blobs.delete(id)
        if (content !== undefined) await blobs.write(id, content)
      }
    },
    openTransaction() {
      const before = new Map<string, { key: RecordKey; saved: SavedRecord | undefined }>()
      const save = async (key: RecordKey): Promise<void> => {
        const name = nameOf(key)
        if (!before.has(name)) before.set(name, { key, saved: await load(key) })
      }
      return {
        records: {
          ...store.records,
          async put(key, record, expectedVersion) {
            await save(key)
            return store.records.put(key, record, expectedVersion)
          },
          async delete(key, expectedVersion) {
            await save(key)
            return store.records.delete(key, expectedVersion)
          },
        },
        async rollBack() {
          for (const { key, saved } of before.values()) await restore(key, saved)
        },
      }
    },
  }

  /** Notes the nonce of an envelope. The same envelope can be written again, another one cannot. */
  function noteNonce(key: RecordKey, body: Uint8Array): void {
    const hasBlindIndex = body[1] === 1
    const start = fixedLength + (hasBlindIndex ? blindIndexLength : 0)
    const isEnvelope =
      body[0] === 1 && (body[1] ?? 2) < 2 && body.length >= start + nonceLength + tagLength
    if (!isEnvelope) return
    const scope = key.collection.slice(key.collection.indexOf('/') + 1)
    const keyId = (body[2] ?? 0) * 256 + (body[3] ?? 0)
    const nonce = Buffer.from(body.subarray(start, start + nonceLength)).toString('hex')
    const envelope = Buffer.from(body).toString('base64')
    const known = envelopeByNonce.get(`${scope} ${keyId} ${nonce}`)
    if (known !== undefined && known !== envelope) reusedNonces.push(nameOf(key))
    envelopeByNonce.set(`${scope} ${keyId} ${nonce}`, envelope)
  }
}

async function readBytes(content: BlobContent): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return new Uint8Array(content)
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return new Uint8Array(Buffer.concat(chunks))
}

function nameOf({ collection, id }: RecordKey): string {
  return `${collection} ${id}`
}
