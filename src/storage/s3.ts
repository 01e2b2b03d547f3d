/**
 * A blob store in a bucket of an S3-compatible service.
 * @module cofferkit/s3
 */

import { anyFunction, integer, kindOf, like, readArgument, text } from '../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { maxTimerMs } from '../base/with-timeout.js'
import type { BlobStore } from '../store.js'
import { createS3Blobs } from './s3/blobs.js'
import { createSend, type S3Client } from './s3/send.js'

export type { S3Client } from './s3/send.js'

/** Options of an S3 blob store. */
export interface S3BlobStoreOptions {
  /**
   * The URL of the bucket, without a query: `https://<bucket>.s3.<region>.amazonaws.com`, or
   * `https://<host>/<bucket>`.
   */
  readonly url: string
  /**
   * The beginning of all keys, such as `vault/`: letters, digits, `-`, `_` and `/`, at most 200
   * characters. Default: empty.
   */
  readonly prefix?: string | undefined
  /**
   * How long a request may take, including retries, or a delete with all its requests, in
   * milliseconds: an integer from 1 to 2,147,483,647. It must be long enough to upload a part of 8
   * MiB, and should be shorter than the service's `storeTimeoutMs`. If a content has more than 64
   * KiB, it is read in chunks, and only the beginning must arrive in this time. Reading the rest
   * may take longer, but fails if nothing arrives for this long. Default: 20,000.
   */
  readonly timeoutMs?: number | undefined
}

const storeOptions = defineOptions({
  url: kindOf<string>('an HTTP URL without user, query and fragment', isBucketUrl),
  prefix: optional(text('at most 200 letters, digits, -, _ and /', /^[\w/-]{0,200}$/), ''),
  timeoutMs: optional(integer({ min: 1, max: maxTimerMs }), 20_000),
} satisfies OptionKinds<S3BlobStoreOptions>)

/**
 * Creates a blob store in a bucket. Several processes can share it. Combine it with a record store
 * by `composeStore`. The bucket's service must support `If-None-Match: *`
 * for `PutObject`, as AWS, Cloudflare R2, MinIO and Ceph do. The first write of a store checks this
 * with the object `<prefix>write-once`, and rejects if the header is ignored.
 *
 * A content of up to 8 MiB is one object. A larger one, up to 80 GB, is uploaded in parts of 8 MiB,
 * with one part in memory. A request without a response, or with status 409, 429, 500, 502, 503 or
 * 504, is sent at most four times within `timeoutMs`. Requests can be repeated safely, because a
 * write recognizes its own object.
 *
 * If a write or a delete rejects with `STORAGE_UNAVAILABLE`, it may or may not have happened. If a
 * write happened, it can be read, and a later write of its id rejects with `STORAGE_FAILED` until
 * the id is deleted. A vault service writes under a new id each time, and removes the others with
 * `collectGarbage`.
 *
 * The client signs the requests. Use `AwsClient` of aws4fetch with `service: 's3'` and
 * `retries: 0`. It can take its keys from the AWS SDK:
 *
 * ```ts
 * const { config } = new S3Client({ region: 'eu-central-1' })
 * const client = {
 *   fetch: async (url, init) => {
 *     const [keys, region] = await Promise.all([config.credentials(), config.region()])
 *     return new AwsClient({ ...keys, region, service: 's3', retries: 0 }).fetch(url, init)
 *   },
 * }
 * ```
 *
 * @returns A store whose calls reject with a StorageError: `STORAGE_UNAVAILABLE` (503) if the
 * service is unreachable, busy or too slow, otherwise `STORAGE_FAILED` (500). The error has the
 * status and the code of the service, such as `403 AccessDenied`, and contains no key, URL or
 * signature. If a content is shorter or longer than what was written, the call or its chunks fail.
 * @throws TypeError if `client` has no function `fetch`, or if an option has an invalid format.
 * @throws RangeError if `timeoutMs` is out of range.
 *
 * @example
 * ```ts
 * import { composeStore, createVaultService } from 'cofferkit'
 * import { createPostgresStore } from 'cofferkit/postgres'
 * import { createS3BlobStore } from 'cofferkit/s3'
 * import { AwsClient } from 'aws4fetch'
 *
 * const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', retries: 0 })
 * const blobs = createS3BlobStore(client, { url: 'https://vault.s3.eu-central-1.amazonaws.com' })
 * const store = composeStore({ records: createPostgresStore(pool), blobs })
 * const service = createVaultService({ store })
 * ```
 */
export function createS3BlobStore(client: S3Client, options: S3BlobStoreOptions): BlobStore {
  readArgument(like({ fetch: anyFunction }), { client, options })
  const { url, prefix, timeoutMs } = storeOptions.read(options)
  const send = createSend(client, url.replace(/\/$/, ''), timeoutMs)
  return createS3Blobs(send, prefix, timeoutMs)
}

function isBucketUrl(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#]/.test(url)
}
