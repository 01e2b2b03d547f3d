/**
 * A store in an etcd cluster, through the JSON gateway of its members.
 * @module cofferkit/etcd
 */

import {
  assertArgument,
  assertCallbacks,
  assertKnown,
  assertLike,
} from '../base/assert-argument.js'
import type { VaultStore } from '../store.js'
import { createEtcdBlobs } from './etcd/blobs.js'
import { createConnection } from './etcd/connection.js'
import { createKeyNames } from './etcd/keys.js'
import { createEtcdRecords } from './etcd/records.js'

/** Options of {@link createEtcdStore}. */
export interface EtcdStoreOptions {
  /**
   * The origins of the members, such as `https://etcd-1.example.com:2379`, 1 or more, all of one
   * cluster. Requests are sent to the first one. After a failure they are sent to the next one.
   */
  readonly endpoints: readonly string[]
  /**
   * The beginning of every key: at most 128 characters of printable ASCII. Stores with different
   * prefixes are independent of each other. `cofferkit/` if absent.
   */
  readonly prefix?: string | undefined
  /** The name of a user, if authentication is enabled in etcd. Needs `password`. */
  readonly username?: string | undefined
  /** The password of the user. */
  readonly password?: string | undefined
  /**
   * Milliseconds after which a request to one endpoint fails: 1 to 2,147,483,647. It should be
   * longer than the election of a leader, which takes one to two seconds by etcd's defaults. 5,000
   * if absent.
   */
  readonly timeoutMs?: number | undefined
  /**
   * The `--max-request-bytes` of the members: 65,536 or more. A record can have 16,384 bytes less.
   * 1,572,864 if absent, which is etcd's default.
   */
  readonly maxRequestBytes?: number | undefined
  /**
   * The largest content of a file, in bytes: 0 or more. etcd is made for small values, and keeps
   * removed ones until it is compacted. 4,194,304 if absent. Store larger files elsewhere.
   */
  readonly maxBlobBytes?: number | undefined
  /**
   * A `fetch` with other certificates or connections. It must not follow redirects if
   * `init.redirect` is `manual`, must never send a request twice, and must abort on `init.signal`.
   * The platform's `fetch` if absent.
   */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** Bytes of a request beside the body of a record: at most nine keys and values of 1.2 KB. */
const overheadBytes = 16_384
const defaultMaxRequestBytes = 1_572_864
const defaultMaxBlobBytes = 4 * 1024 * 1024
const maxTimeoutMs = 2 ** 31 - 1

/**
 * Creates a store in etcd 3.4 or later. Several processes can use the same prefix. Reads are
 * linearizable. A change is one transaction, which is acknowledged when a majority of the members
 * has stored it.
 *
 * A read that fails is sent to the other endpoints. A write is sent again only if it was certainly
 * not executed: if no connection was made, or if the token had expired. After any other failure it
 * is unknown whether it was executed.
 *
 * Nothing is sent before the first call, and there is nothing to close.
 *
 * @returns A store whose calls reject with a StorageError: `STORAGE_UNAVAILABLE` (503) if no member
 * answers in time, if there is no majority, or if the space quota is used up; else `STORAGE_FAILED`
 * (500). A record or a file that is too large rejects with ContentTooLargeError (413), before it is
 * sent. No error contains a message of the server.
 * @throws TypeError if an option has the wrong type or an invalid format.
 * @throws RangeError if a number is out of range.
 *
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { createEtcdStore } from 'cofferkit/etcd'
 *
 * const store = createEtcdStore({
 *   endpoints: ['https://etcd-1:2379', 'https://etcd-2:2379', 'https://etcd-3:2379'],
 *   username: 'vault',
 *   password: process.env['ETCD_PASSWORD'],
 * })
 * const service = createVaultService({ store })
 * ```
 */
export function createEtcdStore(options: EtcdStoreOptions): VaultStore {
  assertKnown<EtcdStoreOptions>(options, {
    endpoints: true,
    prefix: true,
    username: true,
    password: true,
    timeoutMs: true,
    maxRequestBytes: true,
    maxBlobBytes: true,
    fetch: true,
  })
  const { endpoints, prefix = 'cofferkit/', username, password } = options
  assertArgument(Array.isArray(endpoints), 'options.endpoints', 'a list of origins')
  const origins = endpoints.map(parseOrigin)
  assertArgument(origins.length > 0, 'options.endpoints', 'a list of 1 or more origins')
  const isPrefix = typeof prefix === 'string' && /^[\x20-\x7e]{0,128}$/.test(prefix)
  assertArgument(isPrefix, 'options.prefix', 'at most 128 characters of printable ASCII')
  assertCallbacks(options, 'fetch')
  const { timeoutMs = 5000, maxRequestBytes = defaultMaxRequestBytes } = options
  const { maxBlobBytes = defaultMaxBlobBytes } = options
  assertInteger('timeoutMs', timeoutMs, 1, maxTimeoutMs)
  assertInteger('maxRequestBytes', maxRequestBytes, 65_536)
  assertInteger('maxBlobBytes', maxBlobBytes, 0)
  const connection = createConnection({
    endpoints: origins,
    credentials: parseCredentials(username, password),
    timeoutMs,
    fetch: options.fetch,
  })
  const names = createKeyNames(prefix)
  return {
    records: createEtcdRecords(connection, names, maxRequestBytes - overheadBytes),
    blobs: createEtcdBlobs(connection, names, maxBlobBytes, maxRequestBytes - overheadBytes),
  }
}

/** Returns the origin in its serialized form. Error messages do not contain it. */
function parseOrigin(endpoint: unknown): string {
  const url = typeof endpoint === 'string' && URL.canParse(endpoint) ? new URL(endpoint) : undefined
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol)
  assertArgument(
    isOrigin && url.href === `${url.origin}/`,
    'each of options.endpoints',
    'an origin, such as https://etcd.example.com:2379',
  )
  return url?.origin ?? ''
}

function parseCredentials(
  name: string | undefined,
  password: string | undefined,
): { name: string; password: string } | undefined {
  if (name === undefined && password === undefined) return undefined
  assertLike(name, '', 'options.username')
  assertLike(password, '', 'options.password')
  return { name: String(name), password: String(password) }
}

/** @throws RangeError if the option is not an integer from `min` to `max`. */
function assertInteger(
  name: string,
  value: number,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): void {
  if (!Number.isSafeInteger(value) || value < min || value > max)
    throw new RangeError(`${name} must be an integer from ${min} to ${max}`)
}
