import { describe, expect, it } from 'vitest'
import { createS3BlobStore } from '../../../src/storage/s3.js'
import { measureCpuTime } from '../../support/cpu-time.js'

const writer = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'
const failed = { code: 'STORAGE_FAILED', message: 'unexpected response of the object store' }

/** A store on a service that responds to lists with `list`, and counts its requests. */
function createStore(list: (query: URLSearchParams) => string, timeoutMs = 60_000) {
  const counts = { lists: 0, deletes: 0 }
  const client = {
    async fetch(url: string, { method }: RequestInit) {
      counts[method === 'DELETE' ? 'deletes' : 'lists'] += 1
      if (method === 'DELETE') return new Response(null, { status: 204 })
      return new Response(list(new URL(url).searchParams))
    },
  }
  const url = 'https://service.example/bucket'
  return { counts, blobs: createS3BlobStore(client, { url, timeoutMs }) }
}

const uploads = (key: string, id: string): string =>
  `<IsTruncated>true</IsTruncated><NextKeyMarker>${key}</NextKeyMarker>` +
  `<NextUploadIdMarker>${id}</NextUploadIdMarker>`
const objects = (key: string, token: string): string =>
  '<IsTruncated>true</IsTruncated>' +
  `<NextContinuationToken>${token}</NextContinuationToken><Contents><Key>${key}</Key></Contents>`

describe('createS3BlobStore', () => {
  it.each(['<Upload>', '<Upload><Key>', '<Upload></Key>', '<Key>', '<IsTruncated>'])(
    'takes little CPU when a list consists of %s',
    async (text) => {
      const list = text.repeat(1_000_000 / text.length)
      const { blobs } = createStore(() => list)
      const cpuTime = measureCpuTime()
      await blobs.delete('v/a')
      expect(cpuTime()).toBeLessThan(1000)
    },
  )

  it('removes the objects and uploads of all pages', async () => {
    const key = `parts/v/a/${writer}`
    const upload = `<Upload><Key>${key}</Key><UploadId>1</UploadId></Upload>`
    const { blobs, counts } = createStore((query) => {
      if (query.has('uploads'))
        return `${upload}${query.has('key-marker') ? '' : uploads(key, '1')}`
      return query.has('continuation-token')
        ? `<Contents><Key>${key}</Key></Contents>`
        : objects(key, 'next')
    })
    await blobs.delete('v/a')
    expect(counts).toEqual({ lists: 4, deletes: 5 })
  })

  it.each<[string, (query: URLSearchParams) => string]>([
    ['the same marker', (query) => (query.has('uploads') ? uploads('b', '1') : '')],
    [
      'an older marker',
      (query) => (query.get('key-marker') === 'b' ? uploads('a', '2') : uploads('b', '1')),
    ],
    ['the same token', (query) => (query.has('uploads') ? '' : objects('b', 'token'))],
    [
      'older keys',
      (query) => {
        if (query.has('uploads')) return ''
        return query.has('continuation-token') ? objects('a', '2') : objects('b', '1')
      },
    ],
  ])('rejects a delete when a truncated list continues at %s', async (_, list) => {
    const { blobs, counts } = createStore(list)
    await expect(blobs.delete('v/a')).rejects.toMatchObject(failed)
    expect(counts.lists).toBeLessThanOrEqual(3)
  })

  it('ends a delete after timeoutMs when a list never ends', async () => {
    let page = 0
    const { blobs, counts } = createStore((query) => {
      page += 1
      return query.has('uploads') ? uploads(String(page).padStart(9, '0'), '1') : ''
    }, 200)
    await expect(blobs.delete('v/a')).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      message: 'the object store did not respond in time',
    })
    expect(counts.deletes).toBe(0)
    const { lists } = counts
    await new Promise(setImmediate)
    expect(counts.lists).toBe(lists)
  })
})
