/**
 * A store in an etcd cluster, through the JSON gateway of its members.
 * @module cofferkit/etcd
 */

import { argumentError, callback, integer, type Kind, list, text } from '../base/argument.js'
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
  return {
    records: createEtcdRecords(connection, names, maxRequestBytes - overheadBytes),
    blobs: createEtcdBlobs(connection, names, maxBlobBytes, maxRequestBytes - overheadBytes),
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
