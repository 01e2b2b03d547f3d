import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { AwsClient } from 'aws4fetch'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { BlobStore } from '../../../../src/index.js'
import { createS3BlobStore, type S3Client } from '../../../../src/storage/s3.js'
import { readBytes, streamOf, utf8 } from '../../../support/bytes.js'

const keys = { accessKeyId: 'a', secretAccessKey: 'b', service: 's3', region: 'us-east-1' }
const tooSlow = {
  code: 'STORAGE_UNAVAILABLE',
  status: 503,
  message: 'the object store did not respond in time',
}
const timeoutMs = 1000
const description = 'whole.f81d4fae-7dec-11d0-a765-00a0c91e6bf6.200000'

const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
})

/** Starts a server, and counts its requests and its open connections. */
async function startServer(respond: RequestListener) {
  const counts = { requests: 0, open: 0 }
  const server = createServer((request, response) => {
    counts.requests += 1
    respond(request, response)
  })
  server.on('connection', (socket) => {
    counts.open += 1
    socket.on('close', () => counts.open--)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  stops.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}/bucket`, counts }
}

/** Resolves when a server has no open connection. `expect.poll` needs a test that runs alone. */
const allClosed = (counts: { readonly open: number }): Promise<void> =>
  vi.waitFor(() => expect(counts.open).toBe(0), { timeout: 5000 })

const awsClient = new AwsClient({ ...keys, retries: 0 })

const createStore = (url: string, client: S3Client = awsClient, ms = timeoutMs) =>
  createS3BlobStore(client, { url, timeoutMs: ms })

const calls: readonly (readonly [string, (blobs: BlobStore) => Promise<unknown>])[] = [
  ['read', (blobs) => blobs.read('v/a')],
  ['write', (blobs) => blobs.write('v/a', utf8('a'))],
  ['write of a stream', (blobs) => blobs.write('v/a', streamOf([utf8('a')]))],
  ['delete', (blobs) => blobs.delete('v/a')],
]

describe.concurrent('createS3BlobStore on a server that hangs', () => {
  it.each(calls)('rejects a %s with 503, and closes the connection', async (_, call) => {
    const { url, counts } = await startServer(() => {})
    const start = performance.now()
    await expect(call(createStore(url))).rejects.toMatchObject(tooSlow)
    expect(performance.now() - start).toBeGreaterThanOrEqual(timeoutMs - 1)
    expect(counts.requests).toBe(1)
    await allClosed(counts)
  })

  it('rejects with 503 when the client ignores the signal', async () => {
    const { url } = await startServer(() => {})
    const client: S3Client = {
      fetch: (target, { signal: _, ...init }) => fetch(target, init),
    }
    await expect(createStore(url, client).read('v/a')).rejects.toMatchObject(tooSlow)
  })

  it('sends nothing again when the time is over', async () => {
    const { url, counts } = await startServer((_, response) => {
      setTimeout(() => response.writeHead(503).end(), timeoutMs * 0.7)
    })
    const reading = createStore(url).read('v/a')
    await expect(reading).rejects.toMatchObject({ status: 503 })
    expect(counts.requests).toBeLessThanOrEqual(2)
  })

  it('rejects a delete when the list begins and never ends', async () => {
    const { url, counts } = await startServer((_, response) => {
      response.write('<ListMultipartUploadsResult>')
    })
    await expect(createStore(url).delete('v/a')).rejects.toMatchObject(tooSlow)
    await allClosed(counts)
  })

  it.each<[string, (blobs: BlobStore) => Promise<unknown>]>([
    ['read of a small content', (blobs) => blobs.read('v/a')],
    ['delete', (blobs) => blobs.delete('v/a')],
  ])('rejects a %s when the body trickles, and closes the connection', async (_, call) => {
    const { url, counts } = await startServer((_, response) => {
      response.setHeader('x-amz-meta-cofferkit', description.replace('200000', '60000'))
      response.write('<')
      const timer = setInterval(() => response.write(' '), timeoutMs / 10)
      response.on('close', () => clearInterval(timer))
    })
    const start = performance.now()
    await expect(call(createStore(url))).rejects.toMatchObject(tooSlow)
    expect(performance.now() - start).toBeLessThan(10 * timeoutMs)
    expect(counts.requests).toBe(1)
    await allClosed(counts)
  })

  it.each<[string, string, (response: ServerResponse) => void]>([
    ['never ends', '403 AccessDenied', (body) => body.write('<Code>AccessDenied</Code>')],
    ['hangs', '403', (body) => body.write('<Error>')],
    ['is cut off', '403', (body) => body.write('<Error>', () => body.destroy())],
    ['is large', '403', (body) => body.end('x'.repeat(2_000_000))],
  ])('keeps the status of an error whose body %s', async (_, reported, respond) => {
    const { url, counts } = await startServer((_, response) => respond(response.writeHead(403)))
    await expect(createStore(url).read('v/a')).rejects.toMatchObject({
      ...{ code: 'STORAGE_FAILED', status: 500 },
      message: `the object store responded with ${reported}`,
    })
    expect(counts.requests).toBe(1)
    await allClosed(counts)
  })

  it('sends a request again after a 503 whose body never ends', async () => {
    const { url, counts } = await startServer((_, response) => {
      response.writeHead(503).write('<Code>SlowDown</Code>')
    })
    // It has time for all requests, also on a busy machine.
    const store = createStore(url, awsClient, 20 * timeoutMs)
    await expect(store.read('v/a')).rejects.toMatchObject({
      ...{ code: 'STORAGE_UNAVAILABLE', status: 503 },
      message: 'the object store responded with 503 SlowDown',
    })
    expect(counts.requests).toBeGreaterThan(1)
    await allClosed(counts)
  })

  it('fails a stream of which nothing arrives in time, and closes the connection', async () => {
    const { url, counts } = await startServer((_, response) => {
      response.setHeader('x-amz-meta-cofferkit', description).write(new Uint8Array(100_000))
    })
    const content = await createStore(url).read('v/a')
    await expect(readBytes(content ?? utf8(''))).rejects.toMatchObject(tooSlow)
    await allClosed(counts)
  })

  it('reads a content that takes longer, also when its reader waits longer', async () => {
    const { url } = await startServer((_, response) => {
      response.setHeader('x-amz-meta-cofferkit', description)
      for (let part = 0; part < 8; part++)
        setTimeout(() => response.write(new Uint8Array(25_000)), part * timeoutMs * 0.15)
      setTimeout(() => response.end(), 8 * timeoutMs * 0.15)
    })
    const content = await createStore(url).read('v/a')
    await new Promise((resolve) => setTimeout(resolve, timeoutMs * 1.2))
    expect(await readBytes(content ?? utf8(''))).toHaveLength(200_000)
  })
})

describe('createS3BlobStore', () => {
  it('sends nothing again when the process was blocked until the time was over', async () => {
    const shortMs = 300
    let requests = 0
    const warnings: string[] = []
    const onWarning = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', onWarning)
    onTestFinished(() => void process.off('warning', onWarning))
    const block = (): void => {
      for (const start = performance.now(); performance.now() - start < shortMs + 20; );
    }
    const client: S3Client = {
      fetch: async () => {
        requests += 1
        setTimeout(block, 1)
        return new Response(null, { status: 503 })
      },
    }
    const unavailable = createStore('http://127.0.0.1/', client, shortMs)
    await expect(unavailable.read('v/a')).rejects.toMatchObject({
      ...{ status: 503, message: 'the object store responded with 503' },
    })
    expect(requests).toBe(1)
    const blocked: S3Client = {
      fetch: () => {
        block()
        return new Promise(() => {})
      },
    }
    const reading = createStore('http://127.0.0.1/', blocked, shortMs).read('v/a')
    await expect(reading).rejects.toMatchObject(tooSlow)
    expect(warnings).toEqual([])
  })

  it.each([0, 0.5, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])(
    'throws RangeError when timeoutMs is %d',
    (value) => {
      const create = (): unknown =>
        createS3BlobStore({ fetch }, { url: 'http://127.0.0.1/', timeoutMs: value })
      expect(create).toThrow(RangeError)
    },
  )
})
