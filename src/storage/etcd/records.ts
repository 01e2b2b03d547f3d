/**
 * Stores records in etcd. The version of a record is the version of its key. etcd starts at 1,
 * counts every put, and starts again after a delete. The condition on it and all writes are one
 * transaction.
 *
 * A record, its entry and its index key are written together. So as long as the record's key is
 * unmodified, so is its entry. Most changes keep the entry. The first transaction therefore
 * requires the same entry, and writes one key. If only the entry is different, the answer contains
 * it, and the next transaction replaces it. The first transaction was then not executed, so no
 * change is made twice.
 */

import { toBase64 } from '../../base/base64.js'
import { ContentTooLargeError, StorageUnavailableError } from '../../errors.js'
import type { RecordStore } from '../../store.js'
import type { KeyValue } from './answer.js'
import type { EtcdConnection } from './connection.js'
import { createEntry, type Entry, formatEntry, parseEntry } from './entry.js'
import { unexpectedAnswerError } from './errors.js'
import { type Base64, decodeBytes, decodeText, encodeText, type KeyNames } from './keys.js'
import { createListPage } from './list-page.js'
import {
  type Compare,
  hasValue,
  hasVersion,
  isUnmodified,
  type Operation,
  put,
  read,
  remove,
  type Transaction,
} from './transaction.js'

/** A record that replaces another one. `value` is undefined to remove it. */
interface Replacement {
  readonly collection: string
  readonly id: string
  readonly entry: Entry | undefined
  readonly value: Base64 | undefined
}

/** The stored record, without its body. */
interface StoredState {
  readonly version: number
  readonly modRevision: string
  readonly entry: Entry | undefined
}

const maxAttempts = 32

/** Creates the record store. A body has at most `maxBodyBytes` bytes. */
export function createEtcdRecords(
  connection: EtcdConnection,
  names: KeyNames,
  maxBodyBytes: number,
): RecordStore {
  const replace = async (to: Replacement, expectedVersion: number): Promise<boolean> => {
    let stored: StoredState | undefined
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const transaction = createTransaction(names, to, expectedVersion, stored)
      const { succeeded, found } = await connection.write(transaction)
      if (succeeded) return true
      stored = parseState(found)
      if (stored?.version !== expectedVersion) return false
    }
    throw new StorageUnavailableError('too many concurrent changes of a record in etcd')
  }
  return {
    async get({ collection, id }) {
      const key = names.record(collection, id)
      const [found, ...others] = await connection.range({ key })
      if (found === undefined) return undefined
      if (found.key !== key || others.length > 0) throw unexpectedAnswerError()
      return { version: found.version, body: decodeBytes(found.value) }
    },
    async put({ collection, id }, { body, indexKey }, expectedVersion) {
      if (body.length > maxBodyBytes)
        throw new ContentTooLargeError(`a record in etcd can have at most ${maxBodyBytes} bytes`)
      const entry = createEntry(body.length, indexKey)
      return replace({ collection, id, entry, value: toBase64(body) }, expectedVersion)
    },
    async delete({ collection, id }, expectedVersion) {
      if (expectedVersion === 0) return false
      return replace({ collection, id, entry: undefined, value: undefined }, expectedVersion)
    },
    list: createListPage(connection, names),
  }
}

/**
 * Returns the transaction that stores `to` over the version. `stored` is the record of this version
 * as it was last read. If it is undefined, the record must have the entry of `to`, or not exist.
 */
function createTransaction(
  names: KeyNames,
  to: Replacement,
  expectedVersion: number,
  stored: StoredState | undefined,
): Transaction {
  const { collection, id, value } = to
  const record = names.record(collection, id)
  const entry = names.entry(collection, id)
  const isUpdate = stored === undefined && expectedVersion > 0
  const before = isUpdate ? to.entry : stored?.entry
  const compare: Compare[] = [
    stored ? isUnmodified(record, stored.modRevision) : hasVersion(record, expectedVersion),
  ]
  // A record that does not exist has no entry.
  if (isUpdate)
    compare.push(to.entry ? hasValue(entry, encodeEntry(to.entry)) : hasVersion(entry, 0))
  return {
    compare,
    success: [
      value === undefined ? remove({ key: record }) : put(record, value),
      ...replaceEntry(names, to, before),
    ],
    failure: [read({ key: record, keys_only: true }), read({ key: entry })],
  }
}

/**
 * Returns the operations that replace the entry and the index key, or none if they are the same.
 */
function replaceEntry(
  names: KeyNames,
  { collection, id, entry: after }: Replacement,
  before: Entry | undefined,
): readonly Operation[] {
  const key = names.entry(collection, id)
  const indexOf = (indexKey: string): Base64 => names.index(collection, indexKey, id)
  const isSameIndexKey = before?.indexKey === after?.indexKey
  if (before?.sizeBound === after?.sizeBound && isSameIndexKey) return []
  const operations = [after ? put(key, encodeEntry(after)) : remove({ key })]
  if (before?.indexKey !== undefined && !isSameIndexKey)
    operations.push(remove({ key: indexOf(before.indexKey) }))
  if (after?.indexKey !== undefined)
    operations.push(put(indexOf(after.indexKey), encodeText(String(after.sizeBound))))
  return operations
}

function encodeEntry(entry: Entry): Base64 {
  return encodeText(formatEntry(entry))
}

/** Reads the operations `failure` of {@link createTransaction}. Undefined if there is no record. */
function parseState(found: readonly (readonly KeyValue[])[]): StoredState | undefined {
  const [[record] = [], [entry] = []] = found
  if (record === undefined) return undefined
  const { version, modRevision } = record
  return { version, modRevision, entry: entry && parseEntry(decodeText(entry.value)) }
}
