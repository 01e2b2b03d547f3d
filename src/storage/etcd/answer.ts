/** Reads the answers of etcd's JSON gateway. Nothing in them is trusted. */

import { safeGet } from '../../base/safe-get.js'
import { unexpectedAnswerError } from './errors.js'
import type { Base64 } from './keys.js'
import type { Operation, Transaction } from './transaction.js'

/** The header of every answer. */
export interface AnswerHeader {
  readonly clusterId: string
  /** The revision of the store when the request was executed, decimal. */
  readonly revision: string
}

/** A key of etcd. */
export interface KeyValue {
  readonly key: Base64
  /** 1 or more. */
  readonly version: number
  /** The revision of its last write, decimal. */
  readonly modRevision: string
  /** Empty if only keys were requested. */
  readonly value: Base64
}

/** The outcome of a transaction. */
export interface TransactionAnswer extends AnswerHeader {
  /** True if every condition was true. */
  readonly succeeded: boolean
  /** The keys that each operation has read, in order. Empty for writes. */
  readonly found: readonly (readonly KeyValue[])[]
}

const int64 = /^[1-9]\d{0,18}$/
const uint64 = /^\d{1,20}$/

/** Reads the header. @throws StorageError (`STORAGE_FAILED`) if the answer has another format. */
export function parseHeader(answer: unknown): AnswerHeader {
  const header = safeGet(answer, 'header')
  const clusterId = safeGet(header, 'cluster_id')
  const revision = safeGet(header, 'revision')
  if (!isDecimal(clusterId, uint64) || !isDecimal(revision, int64)) throw unexpectedAnswerError()
  return { clusterId, revision }
}

/**
 * Reads the answer to a transaction.
 * @throws StorageError (`STORAGE_FAILED`) if it does not have exactly the responses of the
 * operations.
 */
export function parseTransaction(answer: unknown, transaction: Transaction): TransactionAnswer {
  const { success, failure = [] } = transaction
  const succeeded = safeGet(answer, 'succeeded') ?? false
  const responses = safeGet(answer, 'responses') ?? []
  const operations = succeeded === true ? success : failure
  if (typeof succeeded !== 'boolean' || !Array.isArray(responses)) throw unexpectedAnswerError()
  if (responses.length !== operations.length) throw unexpectedAnswerError()
  const found = operations.map((operation, index) => parseResponse(operation, responses[index]))
  return { ...parseHeader(answer), succeeded, found }
}

/** Reads the keys of a range. @throws StorageError (`STORAGE_FAILED`) if it has another format. */
export function parseKeyValues(answer: unknown): readonly KeyValue[] {
  const found = safeGet(answer, 'kvs') ?? []
  if (!Array.isArray(found)) throw unexpectedAnswerError()
  return found.map(parseKeyValue)
}

function parseResponse(operation: Operation, response: unknown): readonly KeyValue[] {
  const [name = ''] = Object.keys(operation)
  const inner = safeGet(response, name.replace('request', 'response'))
  if (typeof inner !== 'object' || inner === null) throw unexpectedAnswerError()
  return 'request_range' in operation ? parseKeyValues(inner) : []
}

function parseKeyValue(found: unknown): KeyValue {
  const key = safeGet(found, 'key')
  const value = safeGet(found, 'value') ?? ''
  const version = safeGet(found, 'version')
  const modRevision = safeGet(found, 'mod_revision')
  if (typeof key !== 'string' || typeof value !== 'string') throw unexpectedAnswerError()
  if (!isDecimal(version, int64) || !isDecimal(modRevision, int64)) throw unexpectedAnswerError()
  if (!Number.isSafeInteger(Number(version))) throw unexpectedAnswerError()
  return { key, value, version: Number(version), modRevision }
}

function isDecimal(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}
