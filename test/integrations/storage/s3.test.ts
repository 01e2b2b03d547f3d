import { S3Client as SdkClient } from '@aws-sdk/client-s3'
import { AwsClient } from 'aws4fetch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StorageError } from '../../../src/errors.js'
import type { BlobStore } from '../../../src/index.js'
import { createS3BlobStore, type S3Client } from '../../../src/storage/s3.js'
import { blobStoreContract } from '../../../src/testing.js'
import {
  hasS3Server,
  type S3Server,
  startS3Server,
} from '../../../tools/reliability/support/s3-server.js'
import { readBytes, streamOf, utf8 } from '../../support/bytes.js'
import {
  type Bucket,
  changeExchanges,
  createBucket,
  createStoreInBucket,
  type Exchange,
  skippedSuffix,
} from '../support/stores/s3.js'

const failed = { code: 'STORAGE_FAILED', status: 500 }
const unavailable = { code: 'STORAGE_UNAVAILABLE', status: 503 }
const alreadyExists = { ...failed, message: 'a blob with this id already exists' }
const partSize = 8_388_608
const large = Uint8Array.from({ length: 2 * partSize + 5 }, (_, index) => (index * 31) & 255)

let server: S3Server
beforeAll(async () => {
  if (hasS3Server) server = await startS3Server()
}, 120_000)
afterAll(() => server?.stop())

const read = async (blobs: BlobStore, id = 'v/a'): Promise<Uint8Array | undefined> => {
  const content = await blobs.read(id)
  return content && readBytes(content)
}

/** A client of the AWS SDK, which finds and renews its keys. */
const createSdkAdapter = ({ accessKeyId, secretAccessKey }: S3Server): S3Client => {
  const credentials = { accessKeyId, secretAccessKey }
  const { config } = new SdkClient({ region: 'us-east-1', credentials })
  return {
    fetch: async (url, init) => {
      const [keys, region] = await Promise.all([config.credentials(), config.region()])
      return new AwsClient({ ...keys, region, service: 's3', retries: 0 }).fetch(url, init)
    },
  }
}

/** A store in a new bucket whose exchanges are changed. */
const createFaulty = async (
  change: (exchange: Exchange, bucket: Bucket) => Promise<Response>,
): Promise<Bucket & { readonly blobs: BlobStore; readonly faulty: BlobStore }> => {
  const bucket = await createStoreInBucket(server)
  const client = changeExchanges(bucket.client, bucket.url, (exchange) => change(exchange, bucket))
  return { ...bucket, faulty: createS3BlobStore(client, { url: bucket.url }) }
}

describe.runIf(hasS3Server)(`createS3BlobStore${skippedSuffix}`, () => {
  describe('blobs with aws4fetch', () => {
    it.each(blobStoreContract)('$name', async ({ run }) =>
      run((await createStoreInBucket(server)).blobs),
    )
  })

  it('works with the keys and the region of the AWS SDK', async () => {
    const { url, listKeys } = await createBucket(server)
    const blobs = createS3BlobStore(createSdkAdapter(server), { url, prefix: 'vaults/one-' })
    for (const [id, content] of [
      ['v/a', utf8('small')],
      ['v/b', large],
    ] as const) {
      await blobs.write(id, content)
      expect(Buffer.compare((await read(blobs, id)) ?? new Uint8Array(0), content)).toBe(0)
    }
    for (const key of await listKeys()) expect(key).toMatch(/^vaults\/one-/)
    for (const id of ['v/a', 'v/b']) await blobs.delete(id)
    expect(await listKeys()).toEqual(['vaults/one-write-once'])
  })

  it('writes a large content in parts, once, and removes all of it', async () => {
    const { blobs, listKeys } = await createStoreInBucket(server)
    await blobs.write('v/a', streamOf([large.subarray(0, 7), large.subarray(7)]))
    expect(Buffer.compare((await read(blobs)) ?? new Uint8Array(0), large)).toBe(0)
    expect(await listKeys()).toEqual([
      'blobs/v/a',
      expect.stringMatching(/^parts\/v\/a\/[\da-f-]{36}$/),
      'write-once',
    ])
    const before = await listKeys()
    for (const content of [large, utf8('small'), streamOf([large])])
      await expect(blobs.write('v/a', content)).rejects.toMatchObject(alreadyExists)
    expect(await listKeys()).toEqual(before)
    await blobs.delete('v/a')
    expect(await listKeys()).toEqual(['write-once'])
    expect(await blobs.read('v/a')).toBeUndefined()
  })

  it('lets exactly one of concurrent writers of large contents win', async () => {
    const { blobs, listKeys } = await createStoreInBucket(server)
    const contents = [large, large.subarray(1), large.subarray(2)]
    const outcomes = await Promise.allSettled(
      contents.map((content) => blobs.write('v/a', content)),
    )
    const winners = contents.filter((_, index) => outcomes[index]?.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    expect((await read(blobs))?.length).toBe(winners[0]?.length)
    expect(await listKeys()).toHaveLength(3)
  })

  it('leaves nothing when the content fails after some parts', async () => {
    const { blobs, listKeys } = await createStoreInBucket(server)
    let pieces = 0
    const error = new Error('the stream fails')
    const content = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pieces++ < 3) controller.enqueue(large.subarray(0, partSize))
        else controller.error(error)
      },
    })
    await expect(blobs.write('v/a', content)).rejects.toBe(error)
    expect(await listKeys()).toEqual(['write-once'])
  })

  it('removes with the id what interrupted writes have left', async () => {
    const { blobs, faulty, listKeys } = await createFaulty(async ({ method, send, target }) => {
      if (method === 'DELETE' || (method === 'PUT' && target.includes('partNumber=2')))
        throw new TypeError('fetch failed')
      return send()
    })
    await expect(faulty.write('v/a', large)).rejects.toMatchObject(unavailable)
    await expect(faulty.write('v/b', large)).rejects.toMatchObject(unavailable)
    expect((await listKeys()).filter((key) => key.startsWith('uploads: '))).toHaveLength(2)
    await blobs.delete('v/a')
    const left = [expect.stringMatching(/^uploads: parts\/v\/b\//)]
    expect(await listKeys()).toEqual(['write-once', ...left])
  })

  it('does not remove what belongs to ids that begin with the id', async () => {
    const { blobs } = await createStoreInBucket(server)
    const ids = ['v', 'v/a', 'v/a/b', 'v/ab', `v/${crypto.randomUUID()}`]
    for (const id of ids) await blobs.write(id, large)
    await blobs.delete('v')
    expect(await blobs.read('v')).toBeUndefined()
    for (const id of ids.slice(1)) expect((await read(blobs, id))?.length).toBe(large.length)
  })

  it.each(['v/..', '../v', 'v/.', 'ä b', 'a+b&c=<d>', '%2e%2e/v', 'v?uploads', 'v#a', '//v'])(
    'keeps the id %j apart from others',
    async (id) => {
      const { blobs, listKeys } = await createStoreInBucket(server)
      await blobs.write(id, utf8(id))
      await blobs.write('v', utf8('other'))
      expect(await read(blobs, id)).toEqual(utf8(id))
      for (const key of await listKeys()) expect(key).toMatch(/^(?:blobs\/[\w=/-]+|write-once)$/)
      await blobs.delete(id)
      expect(await blobs.read(id)).toBeUndefined()
      expect(await read(blobs, 'v')).toEqual(utf8('other'))
    },
  )

  it('removes more leftovers than a page has', async () => {
    const { blobs, client, url, listKeys } = await createStoreInBucket(server)
    const small = changeExchanges(client, url, async ({ method, target, send }) => {
      const isList = method === 'GET' && target.startsWith('?')
      return isList ? client.fetch(`${url}${target}&max-uploads=2&max-keys=2`) : send()
    })
    for (let index = 0; index < 5; index++) {
      const key = `${url}/parts/v/a/${crypto.randomUUID()}`
      await client.fetch(key, { method: 'PUT', body: 'x' })
      await client.fetch(`${key}?uploads`, { method: 'POST' })
    }
    await createS3BlobStore(small, { url }).delete('v/a')
    expect(await listKeys()).toEqual([])
    expect(await blobs.read('v/a')).toBeUndefined()
  })
})

describe.runIf(hasS3Server)('createS3BlobStore with a failing service', () => {
  it.each([
    ['small', utf8('content')],
    ['large', large],
  ])('recognizes its own %s write when a response is lost', async (_, content) => {
    const lost = new Set<string>()
    const { faulty, blobs } = await createFaulty(async ({ method, target, send }) => {
      const response = await send()
      const request = `${method} ${target}`
      if (lost.has(request)) return response
      lost.add(request)
      await response.body?.cancel()
      throw new TypeError('fetch failed')
    })
    await faulty.write('v/a', content)
    expect((await read(blobs))?.length).toBe(content.length)
    expect((await read(faulty))?.length).toBe(content.length)
    await expect(faulty.write('v/a', content)).rejects.toMatchObject(alreadyExists)
    await faulty.delete('v/a')
    expect(await blobs.read('v/a')).toBeUndefined()
  })

  it.each([429, 500, 502, 503, 504])('repeats requests after the status %d', async (status) => {
    let calls = 0
    const { faulty } = await createFaulty(async ({ send }) =>
      calls++ % 2 === 0 ? new Response('<Code>SlowDown</Code>', { status }) : send(),
    )
    await faulty.write('v/a', utf8('content'))
    expect(await read(faulty)).toEqual(utf8('content'))
  })

  it('rejects with 503 when the service stays unreachable or busy', async () => {
    let calls = 0
    const { faulty } = await createFaulty(async () => {
      calls += 1
      if (calls % 2 === 0) throw new TypeError('fetch failed')
      return new Response('<Error><Code>SlowDown</Code></Error>', { status: 503 })
    })
    for (const call of [() => faulty.read('v/a'), () => faulty.delete('v/a')])
      await expect(call()).rejects.toMatchObject(unavailable)
    await expect(faulty.write('v/a', streamOf([utf8('a')]))).rejects.toMatchObject(unavailable)
    expect(calls).toBe(12)
  })

  it('keeps the parts when it is unknown whether the blob was created', async () => {
    const { faulty, blobs } = await createFaulty(async ({ method, target, send }) => {
      const response = await send()
      if (method !== 'PUT' || target !== '/blobs/v/a') return response
      throw new TypeError('fetch failed')
    })
    await expect(faulty.write('v/a', large)).rejects.toMatchObject(unavailable)
    expect((await read(blobs))?.length).toBe(large.length)
  })

  it('rejects a write when the blob is deleted before it is complete', async () => {
    const { faulty, blobs, listKeys } = await createFaulty(async ({ method, target, send }) => {
      if (method === 'PUT' && target === '/blobs/v/a') await blobs.delete('v/a')
      return send()
    })
    const message = 'the blob was deleted while it was written'
    await expect(faulty.write('v/a', large)).rejects.toMatchObject({ ...failed, message })
    expect(await listKeys()).toEqual(['write-once'])
  })

  it('rejects a write when the upload is removed during it', async () => {
    const { faulty, blobs, listKeys } = await createFaulty(async ({ target, send }) => {
      if (target.includes('partNumber=2')) await blobs.delete('v/a')
      return send()
    })
    const message = 'the object store responded with 404 NoSuchUpload'
    await expect(faulty.write('v/a', large)).rejects.toMatchObject({ ...failed, message })
    expect(await listKeys()).toEqual(['write-once'])
  })

  it('rejects writes when the service ignores If-None-Match', async () => {
    const { faulty, blobs } = await createFaulty(({ send }) => send({}))
    const message = 'the object store ignores If-None-Match'
    for (let time = 0; time < 2; time++)
      await expect(faulty.write('v/a', utf8('a'))).rejects.toMatchObject({ ...failed, message })
    expect(await blobs.read('v/a')).toBeUndefined()
  })

  it('checks again with the next write when the first checks have failed', async () => {
    let isBusy = true
    const checks: boolean[] = []
    const { faulty, listKeys } = await createFaulty(async ({ target, send }) => {
      if (target !== '/write-once') return send()
      checks.push(isBusy)
      return isBusy ? new Response('', { status: 503 }) : send()
    })
    const write = (id: string): Promise<void> => faulty.write(id, utf8(id))
    const outcomes = await Promise.allSettled([write('v/a'), write('v/b')])
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: unavailable })
    expect(checks).toEqual(Array.from({ length: 8 }, () => true))
    expect(await listKeys()).toEqual([])
    isBusy = false
    await write('v/a')
    await Promise.all([write('v/b'), write('v/c')])
    // One object that is created, and once more.
    expect(checks.slice(8)).toEqual([false, false])
    expect(await listKeys()).toEqual(['blobs/v/a', 'blobs/v/b', 'blobs/v/c', 'write-once'])
  })

  it.each([
    ['small', 1000, 999],
    ['small', 1000, 0],
    ['large', 200_000, 199_999],
    ['large', 200_000, 70_000],
    ['of several parts', large.length, partSize],
  ])('fails a %s content of %d bytes that ends after %d', async (_, length, end) => {
    const { faulty, blobs } = await createFaulty(async ({ method, send }) => {
      const response = await send()
      if (method !== 'GET' || response.status !== 200) return response
      const whole = new Uint8Array(await response.arrayBuffer())
      return whole.length === 0
        ? new Response(null, response)
        : new Response(whole.subarray(0, end), { headers: response.headers })
    })
    await blobs.write('v/a', large.subarray(0, length))
    await expect(read(faulty)).rejects.toMatchObject(failed)
  })

  it('fails a content that is longer than what was written', async () => {
    const { faulty, blobs } = await createFaulty(async ({ send }) => {
      const response = await send()
      return new Response(streamOf([utf8('ab'), utf8('cd')]), { headers: response.headers })
    })
    await blobs.write('v/a', utf8('abc'))
    await expect(read(faulty)).rejects.toMatchObject(failed)
  })

  it('fails the stream with 503 when the connection is lost', async () => {
    const { faulty, blobs } = await createFaulty(async ({ send }) => {
      const { headers } = await send()
      const chunks = [large.subarray(0, 70_000)]
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
        const chunk = chunks.pop()
        if (chunk) controller.enqueue(chunk)
        else controller.error(new TypeError('terminated'))
      }
      return new Response(new ReadableStream({ pull }), { headers })
    })
    await blobs.write('v/a', large.subarray(0, 200_000))
    await expect(read(faulty)).rejects.toMatchObject(unavailable)
  })

  it('rejects objects that it has not written', async () => {
    const { blobs, client, url } = await createStoreInBucket(server)
    await client.fetch(`${url}/blobs/v/a`, { method: 'PUT', body: 'foreign' })
    const message = 'the object was not written by this store'
    await expect(blobs.read('v/a')).rejects.toMatchObject({ ...failed, message })
    await expect(blobs.write('v/a', utf8('a'))).rejects.toMatchObject(alreadyExists)
  })

  it('rejects when the content of a blob is missing', async () => {
    const { blobs, client, url, listKeys } = await createStoreInBucket(server)
    await blobs.write('v/a', large)
    const key = (await listKeys()).find((name) => name.startsWith('parts/'))
    await client.fetch(`${url}/${key}`, { method: 'DELETE' })
    const message = 'the content of the blob is missing'
    await expect(blobs.read('v/a')).rejects.toMatchObject({ ...failed, message })
    await blobs.delete('v/a')
    expect(await blobs.read('v/a')).toBeUndefined()
  })

  it('rejects when the bucket does not exist, and never takes it for a missing blob', async () => {
    const { client } = await createBucket(server)
    const blobs = createS3BlobStore(client, { url: `${server.origin}/no-such-bucket` })
    const message = 'the object store responded with 404 NoSuchBucket'
    await expect(blobs.read('v/a')).rejects.toMatchObject({ ...failed, message })
    await expect(blobs.write('v/a', utf8('a'))).rejects.toMatchObject({ ...failed, message })
    await expect(blobs.delete('v/a')).rejects.toMatchObject({ ...failed, message })
  })

  it('rejects with no key, URL or content in the error', async () => {
    const { url } = await createBucket(server)
    const secretAccessKey = 'wrong-secret-of-the-gateway'
    const client = new AwsClient({ ...server, secretAccessKey, service: 's3', retries: 0 })
    const blobs = createS3BlobStore(client, { url })
    const error: unknown = await blobs.write('v/secret-id', utf8('content')).catch((e) => e)
    const message = 'the object store responded with 403 SignatureDoesNotMatch'
    expect(error).toMatchObject({ ...failed, message })
    const { stack, cause } = error as StorageError
    const text = `${stack} ${JSON.stringify(error)} ${cause instanceof Error && cause.stack}`
    for (const secret of [secretAccessKey, 'secret-id', 'Signature=', url, 'content'])
      expect(text).not.toContain(secret)
  })

  it.each([
    ['an id of an upload', /uploads=$/, '<UploadId></UploadId>'],
    ['an outcome of an upload', /\?uploadId=/, '<Error><Code>InternalError</Code></Error>'],
  ])('rejects when the service returns no %s', async (_, pattern, text) => {
    const { faulty, listKeys } = await createFaulty(async ({ method, target, send }) =>
      method === 'POST' && pattern.test(target) ? new Response(text) : send(),
    )
    await expect(faulty.write('v/a', large)).rejects.toMatchObject(failed)
    expect((await listKeys()).filter((key) => !key.startsWith('uploads'))).toEqual(['write-once'])
  })

  it('rejects a later write until the id is deleted when a write that timed out was stored', async () => {
    const { url, client, blobs } = await createStoreInBucket(server)
    const silent = changeExchanges(client, url, async ({ method, target, send }) => {
      const response = await send()
      const isLost = method === 'PUT' && target.startsWith('/blobs/')
      return isLost ? new Promise(() => {}) : response
    })
    const impatient = createS3BlobStore(silent, { url, timeoutMs: 2000 })
    await expect(impatient.write('v/a', utf8('a'))).rejects.toMatchObject(unavailable)
    expect(await read(blobs)).toEqual(utf8('a'))
    await expect(blobs.write('v/a', utf8('b'))).rejects.toMatchObject(alreadyExists)
    expect(await read(blobs)).toEqual(utf8('a'))
    await blobs.delete('v/a')
    await blobs.write('v/a', utf8('b'))
    expect(await read(blobs)).toEqual(utf8('b'))
  })

  it.each([null, '<Part>', 'a"b'])('rejects when the tag of a part is %j', async (etag) => {
    const { faulty, listKeys } = await createFaulty(async ({ method, target, send }) => {
      const response = await send()
      if (method !== 'PUT' || !target.includes('partNumber')) return response
      return new Response(null, { headers: etag === null ? {} : { etag } })
    })
    await expect(faulty.write('v/a', large)).rejects.toMatchObject(failed)
    expect(await listKeys()).toEqual(['write-once'])
  })

  it('rejects when a response is larger than any list', async () => {
    const { faulty } = await createFaulty(async () => new Response(new Uint8Array(1_048_577)))
    await expect(faulty.delete('v/a')).rejects.toMatchObject(failed)
  })
})
