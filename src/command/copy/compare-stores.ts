/** Compares two stores, record by record and file by file. */

import { createHash, createHmac, type Hmac } from 'node:crypto'
import { gatherBatches, settleAll } from '../../base/batches.js'
import { releaseContent, toChunks } from '../../base/blob-content.js'
import { DecryptionError, type ListedRecord, type VaultStore } from '../../index.js'
import { addCount, type Counts } from '../store/format-contents.js'
import {
  type CollectionPair,
  countedAs,
  listCollections,
  listPairs,
  type RecordPair,
  readRecord,
  type StorePair,
} from './collections.js'
import { isEqual, readKeptBlobs } from './copy-store.js'

/** The contents of one of the stores. */
export interface StoreSummary {
  readonly counts: Counts
  /** An HMAC-SHA-256 over everything that was compared, in hexadecimal. */
  readonly digest: string
}

/** The result of a comparison. */
export interface Comparison {
  readonly from: StoreSummary
  readonly to: StoreSummary
  /** The differences: `collection/id` of a record, or the id of a file's content. */
  readonly differences: readonly string[]
}

/** Options of {@link compareStores}. */
export interface CompareOptions {
  /** The key of the digests. A random one makes them useless to guess values with. */
  readonly key: Uint8Array
  /** True to leave out what is damaged in the first store. */
  readonly skipsUnreadable: boolean
  onProgress(records: number): void
}

/** The findings about one side. */
interface Side {
  readonly counts: Counts
  readonly hmac: Hmac
}

const batchSize = 16

/** Reads both stores to their ends. @returns What they contain, and what differs. */
export async function compareStores(
  pair: StorePair,
  { key, skipsUnreadable, onProgress }: CompareOptions,
): Promise<Comparison> {
  const createSide = (): Side => ({ counts: new Map(), hmac: createHmac('sha256', key) })
  const [from, to] = [createSide(), createSide()]
  const differences: string[] = []
  let records = 0
  for await (const own of listCollections(pair)) {
    for await (const batch of gatherBatches(listPairs(own), batchSize)) {
      const files = await settleAll(batch.map(readFiles))
      for (const [index, record] of batch.entries()) {
        const { id, source, target } = record
        if (skipsUnreadable && source !== undefined && isDamaged(own, source)) continue
        if (!isEqual(record)) differences.push(`${own.collection}/${id}`)
        for (const [side, one] of [
          [from, source],
          [to, target],
        ] as const)
          if (one !== undefined) addRecord(side, own, one)
        for (const file of files[index] ?? []) {
          if (skipsUnreadable && file.source === undefined) continue
          if (file.source !== file.target || file.source === undefined) differences.push(file.id)
          addFile(from, file.id, file.source)
          addFile(to, file.id, file.target)
        }
      }
      records += batch.length
      onProgress(records)
    }
  }
  return { from: summarize(from), to: summarize(to), differences }
}

function summarize({ counts, hmac }: Side): StoreSummary {
  return { counts, digest: hmac.digest('hex') }
}

function addRecord(side: Side, { kind, collection }: CollectionPair, record: ListedRecord): void {
  const { id, version, body } = record
  addCount(side.counts, countedAs(kind, record))
  side.hmac.update(`record ${collection}/${id} ${version} ${body.length}\n`)
  side.hmac.update(body)
}

function addFile(side: Side, id: string, digest: string | undefined): void {
  if (digest === undefined) return
  addCount(side.counts, 'file')
  side.hmac.update(`file ${id} ${digest}\n`)
}

/** The digests of a file's content in both stores, undefined where it is missing or damaged. */
interface FilePair {
  readonly id: string
  readonly source: string | undefined
  readonly target: string | undefined
}

/** Reads the contents to which the record refers in either store. */
async function readFiles(pair: RecordPair): Promise<readonly FilePair[]> {
  const { source, target, from, to } = pair
  const ids = new Set([source, target].flatMap((record) => readKeptBlobs(pair, record)))
  const files: FilePair[] = []
  for (const id of ids) {
    const [ofSource, ofTarget] = await settleAll([hashContent(from, id), hashContent(to, id)])
    files.push({ id, source: ofSource, target: ofTarget })
  }
  return files
}

function isDamaged(own: CollectionPair, source: ListedRecord): boolean {
  try {
    readRecord(own, source)
    return false
  } catch {
    return true
  }
}

async function hashContent({ blobs }: VaultStore, id: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    const content = await blobs.read(id)
    if (content === undefined) return undefined
    try {
      for await (const chunk of toChunks(content)) hash.update(chunk)
    } finally {
      releaseContent(content)
    }
    return hash.digest('hex')
  } catch (error) {
    if (error instanceof DecryptionError) return undefined
    throw error
  }
}
