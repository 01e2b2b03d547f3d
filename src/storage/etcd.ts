/**
 * A store in an etcd cluster, through the JSON gateway of its members.
 * @module cofferkit/etcd
 */

import { argumentError, callback, integer, type Kind, list, text } from '../base/argument.js'
import { type Closable, toClosable } from '../base/closable.js'
import { closeCalls, countEach, type OpenCalls } from '../base/open-calls.js'
import { defineOptions, type OptionKinds, type OptionValues, optional } from '../base/options.js'
import { maxTimerMs } from '../base/with-timeout.js'
import type { VaultStore } from '../store.js'
import { createEtcdBlobs } from './etcd/blobs.js'
import { createConnection } from './etcd/connection.js'
import { createKeyNames } from './etcd/keys.js'
import { createEtcdRecords } from './etcd/records.js'

/** Options of {@link createEtcdStore}. */
export interface EtcdStoreOptions {
  /**
   * The origins of the members of one cluster, such as `https://etcd-1.example.com:2379`, at least
   * one. Requests are sent to the first one. After a failure they are sent to the next one.
   */
  readonly endpoints: readonly string[]
  /**
   * The beginning of every key: at most 128 characters of printable ASCII. Stores with different
   * prefixes are independent of each other. Default: `cofferkit/`.
   */
  readonly prefix?: string | undefined
  /** The name of a user, if authentication is enabled in etcd. Needs `password`. */
  readonly username?: string | undefined
  /** The password of the user. */
  readonly password?: string | undefined
  /**
   * How long a request to one endpoint may take, in milliseconds: 1 to 2,147,483,647. It should be
   * longer than the election of a leader, which takes one to two seconds by etcd's defaults.
   * Default: 5,000.
   */
  readonly timeoutMs?: number | undefined
  /**
   * The `--max-request-bytes` of the members: 65,536 or more. A record can be up to this minus
   * 16,384 bytes. Default: 1,572,864, like etcd's own.
   */
  readonly maxRequestBytes?: number | undefined
  /**
   * The maximum size of a file, in bytes: 0 or more. etcd is made for small values, and keeps
   * deleted ones until you compact it. Store larger files elsewhere. Default: 4,194,304.
   */
  readonly maxBlobBytes?: number | undefined
  /**
   * Your own `fetch`, for example for client certificates. It must not follow redirects if
   * `init.redirect` is `manual`, must not retry on its own, and must abort on `init.signal`.
   * Default: the platform's `fetch`.
   */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** A store in etcd. */
export interface EtcdStore extends VaultStore, Closable {
  /**
   * Makes new calls fail with StorageUnavailableError (503), waits until the calls in progress have
   * settled, and forgets the user's token. Contents that are being read then fail. Your own `fetch`
   * is not closed. Closing again returns the same promise.
   */
  close(): Promise<void>
}

/** The bytes of a request besides the body of a record: at most nine keys and values of 1.2 KB. */
const overheadBytes = 16_384

/** Returns the origin in its serialized form. */
const origin: Kind<string> = (endpoint, path) => {
  const url = typeof endpoint === 'string' && URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`)
    return url.origin
  throw argumentError(endpoint, path, 'an origin, such as https://etcd.example.com:2379')
}

const originList = 'a list of 1 or more origins'

const storeOptions = defineOptions({
  endpoints: list(originList, origin),
  prefix: optional(
    text('at most 128 characters of printable ASCII', /^[\x20-\x7e]{0,128}$/),
    'cofferkit/',
  ),
  username: optional(text()),
  password: optional(text()),
  timeoutMs: optional(integer({ min: 1, max: maxTimerMs }), 5_000),
  maxRequestBytes: optional(integer({ min: 65_536 }), 1_572_864),
  maxBlobBytes: optional(integer({ min: 0 }), 4_194_304),
  fetch: optional(callback()),
} satisfies OptionKinds<EtcdStoreOptions>)

/**
 * Creates a store in etcd 3.4 or later. Several processes can use the same prefix. Reads are
 * linearizable. A change is one transaction. It is acknowledged when a majority of the members has
 * stored it. A failed read is retried on the other endpoints. A write is retried only if it
 * certainly did not happen, because no connection was made or the token had expired. After any
 * other failure, a write may or may not have happened. Nothing is sent before the first call.
 *
 * @returns A store whose calls reject with a StorageError: `STORAGE_UNAVAILABLE` (503) if no member
 * answers in time, there is no majority, or the space quota is used up, otherwise `STORAGE_FAILED`
 * (500). If a record or a file is too large, the call rejects with ContentTooLargeError (413)
 * before anything is sent. No error contains a message of the server.
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
export function createEtcdStore(options: EtcdStoreOptions): EtcdStore {
  const settings = storeOptions.read(options)
  const { endpoints, prefix, timeoutMs, maxRequestBytes, maxBlobBytes } = settings
  if (endpoints.length === 0) throw argumentError(endpoints, 'options.endpoints', originList)
  const connection = createConnection({
    endpoints,
    credentials: readCredentials(settings),
    timeoutMs,
    fetch: settings.fetch,
  })
  const names = createKeyNames(prefix)
  const maxBytes = maxRequestBytes - overheadBytes
  const calls: OpenCalls = { owner: 'the etcd store', count: 0 }
  return {
    records: countEach(calls, createEtcdRecords(connection, names, maxBytes)),
    blobs: countEach(calls, createEtcdBlobs(connection, names, maxBlobBytes, maxBytes)),
    ...toClosable(() => closeCalls(calls).then(connection.end)),
  }
}

function readCredentials({
  username: name,
  password,
}: OptionValues<typeof storeOptions.kinds>): { name: string; password: string } | undefined {
  if (name === undefined && password === undefined) return undefined
  if (name === undefined) throw argumentError(name, 'options.username', 'a string')
  if (password === undefined) throw argumentError(password, 'options.password', 'a string')
  return { name, password }
}
