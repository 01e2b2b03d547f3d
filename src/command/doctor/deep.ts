/** The check of `doctor --deep`: reads every record, version, log entry and file to its end. */

import { batchesOf, gatherBatches, settleAll } from '../../base/batches.js'
import { releaseContent, toChunks } from '../../base/blob-content.js'
import { mapStore } from '../../base/map-store.js'
import { readBlobIds } from '../../base/read-stored.js'
import {
  collectionOf,
  itemRecords,
  keyRingRecords,
  type StoredKind,
  scopeOfBlob,
  scopeOfCollection,
  storeKinds,
  toOuterBlobId,
  vaultKinds,
  vaultRecords,
} from '../../base/stored-records.js'
import { walkPages } from '../../base/walk-pages.js'
import { connectDialect } from '../../dialects/connect.js'
import {
  createCaller,
  createVaultService,
  DecryptionError,
  type ListedRecord,
  type RecordStore,
  type VaultStore,
} from '../../index.js'
import { listKeyRings } from '../../storage/encrypted.js'
import { formatCount } from '../command-line.js'
import { type KeyedStore, withStorageErrors } from '../store/check-encryption.js'
import { addCount, type Counts, formatContents } from '../store/format-contents.js'
import type { Check } from './checks.js'

/** The findings. */
interface DeepFindings {
  /** The numbers of what was read. */
  readonly counts: Counts
  /** The names of damaged parts, such as `items/{vault}/{item}` or `blobs/{id}`. */
  readonly damaged: string[]
  /** The scopes whose key ring is damaged, or has another key. Nothing of them could be read. */
  readonly closed: Set<string>
  /** The ids of the contents to which a readable record refers. */
  readonly references: Set<string>
}

/** Options of {@link checkDeeply}. */
export interface DeepOptions {
  /** Returns the ids of all contents; undefined for a store that does not list them. */
  readonly listBlobIds: (() => Promise<readonly string[]>) | undefined
  onProgress(text: string): void
}

const caller = createCaller({ id: 'cofferkit', vaults: '*' })
const pageSize = 200
const batchSize = 8

/**
 * Reads everything.
 * @returns A check `key ring` or `damaged` for each one that is, or else one named `everything`.
 */
export async function checkDeeply(
  opened: KeyedStore,
  { listBlobIds, onProgress }: DeepOptions,
): Promise<readonly Check[]> {
  const store = mapStore(opened.store, withStorageErrors)
  const inner = mapStore(opened.inner, withStorageErrors)
  const damaged: string[] = []
  const findings: DeepFindings = {
    counts: new Map(),
    damaged,
    closed: new Set(),
    references: new Set(),
  }
  const report = (): void => onProgress(`Reading: ${formatContents(findings.counts)}`)
  if (opened.encrypted !== undefined) await checkRings(findings, inner.records, store.records)
  const vaultIds: string[] = []
  // The ids of records are never encrypted, and a damaged record still has its id.
  for await (const { id } of listAll(inner.records, vaultRecords.collection)) vaultIds.push(id)
  const reading: Reading = { findings, store, report, isPlain: opened.encrypted === undefined }
  for (const kind of storeKinds) await readCollection(reading, kind)
  for (const vaultId of vaultIds)
    for (const kind of vaultKinds) await readCollection(reading, kind, collectionOf(kind, vaultId))
  const unreferenced = listBlobIds && countUnreferenced(findings, await listBlobIds())
  return toChecks(findings, unreferenced)
}

/** The parts of a run that every step needs. */
interface Reading {
  readonly findings: DeepFindings
  readonly store: VaultStore
  /** True if bytes can be changed without that being seen, unless they are no JSON any more. */
  readonly isPlain: boolean
  report(): void
}

function listAll(records: RecordStore, collection: string): AsyncGenerator<ListedRecord> {
  return walkPages((page) => records.list(collection, page), { limit: pageSize })
}

/** Finds the key rings that cannot be decoded, or whose scope cannot be read with them. */
async function checkRings(
  { closed, counts }: DeepFindings,
  inner: RecordStore,
  records: RecordStore,
): Promise<void> {
  for await (const { scope, keys } of listKeyRings(inner)) {
    addCount(counts, keyRingRecords)
    if (keys?.length === 0) continue
    // A look-up by an index key needs the ring, and decrypts nothing.
    const isOpen =
      keys !== undefined && (await whenOpen(() => records.list(scope, { limit: 1, indexKey: '' })))
    if (!isOpen) closed.add(scope)
  }
}

/** Resolves with false if keys are missing or not authentic. */
async function whenOpen(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (!(error instanceof DecryptionError) || error.record !== undefined) throw error
    return false
  }
}

/** Reads every record of a collection, and the contents to which items refer. */
async function readCollection(
  reading: Reading,
  kind: StoredKind,
  collection = kind.collection,
): Promise<void> {
  const { findings, store, report } = reading
  const scope = scopeOfCollection(collection)
  if (findings.closed.has(scope)) return
  const isOpen = await whenOpen(async () => {
    const records = listAll(store.records, collection)
    for await (const batch of gatherBatches(records, batchSize)) {
      await settleAll(batch.map((record) => readRecord(reading, kind, collection, record)))
      addCount(findings.counts, kind, batch.length)
      report()
    }
  })
  if (!isOpen) findings.closed.add(scope)
}

async function readRecord(
  reading: Reading,
  kind: StoredKind,
  collection: string,
  record: ListedRecord,
): Promise<void> {
  const { findings, store } = reading
  const { id, body, unreadable } = record
  const isSound =
    unreadable === undefined &&
    isJson(body) &&
    (!reading.isPlain || (await isValid(store, kind, collection, record)))
  if (!isSound) {
    findings.damaged.push(`${collection}/${id}`)
    return
  }
  // The contents that a temporary record names will still be used or deleted.
  if (!kind.keepsBlobs && !kind.isTemporary) return
  const blobIds = readBlobIds(collection, body)
  for (const blobId of blobIds) findings.references.add(blobId)
  if (!kind.keepsBlobs) return
  for (const batch of batchesOf(blobIds, batchSize))
    await settleAll(batch.map((blobId) => readContent(findings, store, blobId)))
}

async function readContent(
  { counts, damaged }: DeepFindings,
  { blobs }: VaultStore,
  id: string,
): Promise<void> {
  addCount(counts, 'file')
  try {
    const content = await blobs.read(id)
    if (content === undefined) damaged.push(`blobs/${id} (missing)`)
    else
      try {
        for await (const _ of toChunks(content));
      } finally {
        releaseContent(content)
      }
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    damaged.push(`blobs/${id}`)
  }
}

/** Returns true for lines of JSON, of which every record consists. */
function isJson(body: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    for (const line of text.split('\n')) JSON.parse(line)
    return true
  } catch {
    return false
  }
}

/** Returns true if a service reads the vault or the item. It does not look for others. */
async function isValid(
  store: VaultStore,
  kind: StoredKind,
  collection: string,
  { id }: ListedRecord,
): Promise<boolean> {
  if (kind !== vaultRecords && kind !== itemRecords) return true
  const service = createVaultService({ store, dialect: connectDialect, onError: () => {} })
  try {
    if (kind === vaultRecords) await service.getVault(caller, { vaultId: id })
    else await service.getItem(caller, { vaultId: scopeOfCollection(collection), itemId: id })
    return true
  } catch (error) {
    // Those that are deleted are not found.
    return !(error instanceof DecryptionError)
  }
}

/** Counts the contents to which no readable record refers, except in vaults that are closed. */
function countUnreferenced(
  { references, closed }: DeepFindings,
  stored: readonly string[],
): number {
  const ids = stored.map(toOuterBlobId)
  return ids.filter((id) => !references.has(id) && !closed.has(scopeOfBlob(id))).length
}

const otherKey =
  'Its key file may be another one, which you pass as another --encrypt, or a newer cofferkit may have written it. Otherwise it is damaged'

function toChecks(
  { counts, damaged, closed }: DeepFindings,
  unreferenced: number | undefined,
): readonly Check[] {
  const checks: Check[] = []
  for (const scope of closed)
    checks.push({
      name: 'key ring',
      status: 'failed',
      text: `keys/${scope} opens nothing, so nothing under it was read`,
      remedy: `${otherKey}: copy its record from a backup, and nothing else of it.`,
    })
  for (const name of damaged)
    checks.push({
      name: 'damaged',
      status: 'failed',
      text: name,
      remedy: name.startsWith('blobs/')
        ? 'Attach the file again, or delete the item.'
        : 'Replace it, delete it, or copy its record from a backup if that has the same version.',
    })
  if (damaged.length === 0 && closed.size === 0)
    checks.push({ name: 'everything', status: 'ok', text: formatContents(counts) })
  if (unreferenced !== undefined && unreferenced > 0)
    checks.push({
      name: 'garbage',
      status: 'warning',
      text: `${formatCount(unreferenced, 'content')} to which no record refers`,
      remedy: 'Deleted or damaged items have left them. They stay until the keys are erased.',
    })
  return checks
}
