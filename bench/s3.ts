/** CPU of the blob store in S3, beside the same requests by hand and by the AWS SDK. */

import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { AwsClient } from 'aws4fetch'
import type { BlobContent } from 'cofferkit'
import { hasS3Server, startS3Server } from '../reliability/support/s3-server.js'
import type { BenchOptions, PartResults } from './bench-options.js'
import { loadBuild } from './load-build.js'
import { costHead, measureCosts, type Pair } from './stores/measure-costs.js'

const small = new Uint8Array(1024).fill(7)
const large = new Uint8Array(20_971_520).fill(7)
const partSize = 8_388_608
/** The gateway takes 50 ms for a request, most of which it waits. */
const workers = 8

/** Measures the first build on a service that is started. Without Ceph there is no table. */
export async function benchS3({
  builds: [{ url }],
  rounds = 7,
}: BenchOptions): Promise<PartResults> {
  if (!hasS3Server) return { tables: [] }
  const server = await startS3Server()
  try {
    const { origin, accessKeyId, secretAccessKey } = server
    const credentials = { accessKeyId, secretAccessKey }
    const region = 'us-east-1'
    const client = new AwsClient({ ...credentials, service: 's3', region, retries: 0 })
    const bucket = `${origin}/bench`
    await client.fetch(bucket, { method: 'PUT' })
    const sdk = new S3Client({ endpoint: origin, forcePathStyle: true, region, credentials })
    const { createS3BlobStore } = await loadBuild(url).s3()
    const blobs = createS3BlobStore(client, { url: bucket })
    let number = 0
    const newName = (): string => `b${number++}`
    const headers = { 'if-none-match': '*' }
    const put = async (body: Uint8Array<ArrayBuffer>): Promise<string> => {
      const name = newName()
      await client.fetch(`${bucket}/${name}`, { method: 'PUT', body, headers })
      return name
    }
    const get = async (name: string): Promise<void> => {
      await (await client.fetch(`${bucket}/${name}`)).arrayBuffer()
    }
    await blobs.write('small', small)
    await blobs.write('large', large)
    const [rawSmall, rawLarge] = [await put(small), await put(large)]
    const Bucket = 'bench'
    const sdkGet = async (Key: string): Promise<void> => {
      const { Body } = await sdk.send(new GetObjectCommand({ Bucket, Key }))
      await Body?.transformToByteArray()
    }
    const pair = (name: string, count: number, store: Pair['store'], raw: Pair['raw']): Pair => ({
      name,
      count,
      store,
      raw,
      hasGoal: name.endsWith('aws4fetch'),
    })
    const writeSmall = (): unknown => blobs.write(newName(), small)
    const readSmall = async (): Promise<unknown> => drain(await blobs.read('small'))
    const writeLarge = (): unknown => blobs.write(newName(), large)
    const readLarge = async (): Promise<unknown> => drain(await blobs.read('large'))
    const rows = await measureCosts(
      [
        pair('write 1 KB, aws4fetch', 240, writeSmall, () => put(small)),
        pair('write 1 KB, AWS SDK', 240, writeSmall, () =>
          sdk.send(new PutObjectCommand({ Bucket, Key: newName(), Body: small, IfNoneMatch: '*' })),
        ),
        pair('read 1 KB, aws4fetch', 240, readSmall, () => get(rawSmall)),
        pair('read 1 KB, AWS SDK', 240, readSmall, () => sdkGet(rawSmall)),
        pair('write 20 MB in parts, aws4fetch', 4, writeLarge, () =>
          postInParts(client, `${bucket}/${newName()}`),
        ),
        pair('write 20 MB in parts, AWS SDK', 4, writeLarge, () => putInParts(sdk, newName())),
        pair('read 20 MB, aws4fetch', 8, readLarge, () => get(rawLarge)),
        pair('read 20 MB, AWS SDK', 8, readLarge, () => sdkGet(rawLarge)),
      ],
      rounds,
      workers,
    )
    sdk.destroy()
    const title = 'S3, CPU of an operation on a blob'
    return { tables: [{ id: 's3', title, rows: [costHead, ...rows] }] }
  } finally {
    await server.stop()
  }
}

async function postInParts(client: AwsClient, url: string): Promise<void> {
  const begun = await (await client.fetch(`${url}?uploads`, { method: 'POST' })).text()
  const id = encodeURIComponent(/<UploadId>(.*)<.UploadId>/.exec(begun)?.[1] ?? '')
  let body = ''
  let number = 1
  for (let start = 0; start < large.length; start += partSize) {
    const part = { method: 'PUT', body: large.subarray(start, start + partSize) }
    const { headers } = await client.fetch(`${url}?partNumber=${number}&uploadId=${id}`, part)
    body += `<Part><PartNumber>${number++}</PartNumber><ETag>${headers.get('etag')}</ETag></Part>`
  }
  body = `<CompleteMultipartUpload>${body}</CompleteMultipartUpload>`
  await (await client.fetch(`${url}?uploadId=${id}`, { method: 'POST', body })).text()
}

async function putInParts(sdk: S3Client, Key: string): Promise<void> {
  const target = { Bucket: 'bench', Key }
  const { UploadId } = await sdk.send(new CreateMultipartUploadCommand(target))
  const Parts: { PartNumber: number; ETag: string | undefined }[] = []
  for (let start = 0; start < large.length; start += partSize) {
    const Body = large.subarray(start, start + partSize)
    const PartNumber = Parts.length + 1
    const part = new UploadPartCommand({ ...target, UploadId, PartNumber, Body })
    Parts.push({ PartNumber, ETag: (await sdk.send(part)).ETag })
  }
  const MultipartUpload = { Parts }
  await sdk.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload }))
}

async function drain(content: BlobContent | undefined): Promise<void> {
  if (content instanceof Uint8Array) return
  await new Response(content).arrayBuffer()
}
