/** Buckets of an S3-compatible service, and clients whose requests fail. */

import { randomBytes } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { createS3BlobStore, type S3Client } from '../../../../src/storage/s3.js'
import { hasS3Server, type S3Server } from '../../../../tools/reliability/support/s3-server.js'

/** The suffix of titles when no service is installed. */
export const skippedSuffix = hasS3Server ? '' : ' (not run: install ceph-mon, ceph-osd and radosgw)'

/** A request and its response, as `change` sees them. */
export interface Exchange {
  readonly method: string
  /** The path and the query after the bucket, such as `/blobs/v/a?uploads=`. */
  readonly target: string
  /** Sends the request. */
  send(headers?: Record<string, string>): Promise<Response>
}

/** A client that calls `change` for each request and returns its result. */
export function changeExchanges(
  client: S3Client,
  bucketUrl: string,
  change: (exchange: Exchange) => Promise<Response>,
): S3Client {
  return {
    fetch: (url, init) =>
      change({
        method: init.method ?? 'GET',
        target: url.slice(bucketUrl.length),
        send: (headers) => client.fetch(url, headers ? { ...init, headers } : init),
      }),
  }
}

/** Creates a client with the keys of the service. */
function createAwsClient({ accessKeyId, secretAccessKey }: S3Server): AwsClient {
  const options = { accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1' }
  return new AwsClient({ ...options, retries: 0 })
}

/** A new bucket. */
export interface Bucket {
  readonly url: string
  readonly client: AwsClient
  /** Returns the keys of all objects, and those of unfinished uploads with `uploads: ` before. */
  listKeys(): Promise<string[]>
}

/** Creates an empty bucket. */
export async function createBucket(server: S3Server): Promise<Bucket> {
  const url = `${server.origin}/test-${randomBytes(6).toString('hex')}`
  const client = createAwsClient(server)
  const { status } = await client.fetch(url, { method: 'PUT' })
  if (status !== 200) throw new Error(`the bucket was not created: ${status}`)
  const keysOf = async (query: string): Promise<string[]> => {
    const xml = await (await client.fetch(`${url}?${query}`)).text()
    return [...xml.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key)
  }
  return {
    url,
    client,
    async listKeys() {
      const uploads = await keysOf('uploads=')
      return [...(await keysOf('list-type=2')), ...uploads.map((key) => `uploads: ${key}`)]
    },
  }
}

/** Creates a store in a new bucket. */
export async function createStoreInBucket(server: S3Server) {
  const bucket = await createBucket(server)
  return { ...bucket, blobs: createS3BlobStore(bucket.client, { url: bucket.url }) }
}
