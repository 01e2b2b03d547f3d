import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCaller, createVaultService, type RecordStore } from '../../../../src/index.js'
import type { EtcdStoreOptions } from '../../../../src/storage/etcd.js'
import { type EtcdServer, startEtcd } from '../../../../tools/reliability/support/etcd-server.js'
import { readBytes, streamOf, utf8 } from '../../../support/bytes.js'
import {
  callGateway,
  createStoreAt,
  forward,
  type GatewayRequest,
  hasEtcd,
  listKeys,
  skippedSuffix,
  startGateway,
} from '../../../support/stores/etcd.js'

const key = { collection: 'c', id: 'a' }

/** A `fetch` that records the sizes of the responses, and calls `before` before each request. */
function watchFetch(before: (count: number) => unknown = () => {}) {
  const sizes: number[] = []
  const fetchWatched: NonNullable<EtcdStoreOptions['fetch']> = async (url, init) => {
    await before(sizes.length)
    const response = await fetch(url, init)
    const text = await response.text()
    sizes.push(text.length)
    return new Response(text, { status: response.status })
  }
  return { sizes, fetch: fetchWatched }
}

async function listIds(records: RecordStore, indexKey: string): Promise<readonly string[]> {
  return (await records.list('c', { limit: 10, indexKey })).map(({ id }) => id)
}

describe(`createEtcdStore on a server${skippedSuffix}`, () => {
  it('is tested when etcd is installed', () => {
    expect(typeof hasEtcd).toBe('boolean')
  })
})

describe.runIf(hasEtcd)('createEtcdStore on a server', () => {
  let server: EtcdServer
  beforeAll(async () => {
    server = await startEtcd()
  })
  afterAll(() => server.stop())

  describe('put', () => {
    it('sends one request when the index key and about the size stay the same', async () => {
      const { sizes, fetch } = watchFetch()
      const { records } = createStoreAt(server.endpoint, { fetch })
      await records.put(key, { body: new Uint8Array(2500), indexKey: 'l' }, 0)
      expect(await records.put(key, { body: new Uint8Array(2550), indexKey: 'l' }, 1)).toBe(true)
      expect(sizes).toHaveLength(2)
      expect(await records.put(key, { body: new Uint8Array(2550), indexKey: 'm' }, 2)).toBe(true)
      expect(await records.put(key, { body: new Uint8Array(9000), indexKey: 'm' }, 3)).toBe(true)
      expect(sizes).toHaveLength(6)
      expect(await records.get(key)).toEqual({ version: 4, body: new Uint8Array(9000) })
    })

    it('removes the index key of a record that was created again in the meantime', async () => {
      const other = createStoreAt(server.endpoint, { prefix: 'again/' }).records
      await other.put(key, { body: utf8('x'), indexKey: 'old' }, 0)
      const { fetch } = watchFetch(async (count) => {
        if (count !== 1) return
        // The same version as before, with another index key.
        await other.delete(key, 1)
        await other.put(key, { body: utf8('y'), indexKey: 'between' }, 0)
      })
      const { records } = createStoreAt(server.endpoint, { prefix: 'again/', fetch })
      expect(await records.put(key, { body: utf8('z'), indexKey: 'new' }, 1)).toBe(true)
      expect(await records.get(key)).toEqual({ version: 2, body: utf8('z') })
      expect(await listIds(records, 'old')).toEqual([])
      expect(await listIds(records, 'between')).toEqual([])
      expect(await listIds(records, 'new')).toEqual(['a'])
      expect(await records.delete(key, 2)).toBe(true)
      expect(await listKeys(server.endpoint, 'again/')).toEqual([])
    })

    it('returns false when the record was changed between the two transactions', async () => {
      const other = createStoreAt(server.endpoint, { prefix: 'between/' }).records
      await other.put(key, { body: utf8('x'), indexKey: 'old' }, 0)
      const { fetch } = watchFetch((count) =>
        count === 1 ? other.put(key, { body: utf8('y'), indexKey: 'old' }, 1) : undefined,
      )
      const { records } = createStoreAt(server.endpoint, { prefix: 'between/', fetch })
      expect(await records.put(key, { body: utf8('z'), indexKey: 'new' }, 1)).toBe(false)
      expect(await listIds(records, 'old')).toEqual(['a'])
      expect(await listIds(records, 'new')).toEqual([])
    })

    it.each(['a\0b', '\0', 'a\ud800', '\ufeffa', '1:x', '  ', '\n'])(
      'finds a record by the index key %j, and only by it',
      async (indexKey) => {
        const { records } = createStoreAt(server.endpoint)
        await records.put(key, { body: utf8('x'), indexKey }, 0)
        await records.put({ ...key, id: 'b' }, { body: utf8('x'), indexKey: 'a' }, 0)
        await records.put(key, { body: new Uint8Array(5000), indexKey }, 1)
        expect(await listIds(records, indexKey)).toEqual(['a'])
        expect(await listIds(records, 'a')).toEqual(['b'])
        expect(await records.put(key, { body: utf8('x') }, 2)).toBe(true)
        expect(await listIds(records, indexKey)).toEqual([])
      },
    )

    it('leaves no key behind when the records are deleted', async () => {
      const { records } = createStoreAt(server.endpoint, { prefix: 'left/' })
      for (const [number, size] of [0, 1024, 1025, 300_000].entries()) {
        for (const indexKey of [undefined, 'l']) {
          const ref = { ...key, id: `${number} ${indexKey}` }
          const record = { body: new Uint8Array(size), ...(indexKey && { indexKey }) }
          await records.put(ref, record, 0)
          await records.put(ref, { ...record, body: new Uint8Array(7000) }, 1)
          await records.put(ref, record, 2)
          expect(await records.delete(ref, 3)).toBe(true)
        }
      }
      expect(await listKeys(server.endpoint, 'left/')).toEqual([])
    })

    it('rejects a record that is too large before anything is sent', async () => {
      const { sizes, fetch } = watchFetch()
      const { records } = createStoreAt(server.endpoint, { fetch })
      const body = new Uint8Array(1_572_864 - 16_384)
      const longest = { collection: 'c'.repeat(128), id: 'i'.repeat(128) }
      const indexKey = '\uffff'.repeat(128)
      expect(await records.put(longest, { body, indexKey }, 0)).toBe(true)
      expect(await records.put(longest, { body, indexKey: indexKey.slice(1) }, 1)).toBe(true)
      const sent = sizes.length
      const put = records.put(longest, { body: new Uint8Array(body.length + 1) }, 2)
      await expect(put).rejects.toMatchObject({
        code: 'CONTENT_TOO_LARGE',
        message: 'a record in etcd can have at most 1556480 bytes',
      })
      expect(sizes).toHaveLength(sent)
    })
  })

  describe('list', () => {
    it('does not load the bodies of later records', async () => {
      const { sizes, fetch } = watchFetch()
      const { records } = createStoreAt(server.endpoint, { fetch })
      for (let number = 0; number < 20; number++) {
        const ref = { ...key, id: `id-${String(number).padStart(2, '0')}` }
        await records.put(ref, { body: new Uint8Array(100_000 + number), indexKey: 'l' }, 0)
      }
      for (const indexKey of [undefined, 'l']) {
        sizes.length = 0
        const page = { limit: 50, maxBytes: 250_000, ...(indexKey && { indexKey }) }
        expect(await records.list('c', page)).toHaveLength(3)
        const bytes = sizes.reduce((sum, size) => sum + size)
        expect(bytes).toBeLessThan((300_000 * 4) / 3 + 10_000)
        expect(sizes.length).toBeLessThanOrEqual(4)
      }
    })

    it('loads more records by index key than etcd accepts operations', async () => {
      const { records } = createStoreAt(server.endpoint)
      const ids = Array.from({ length: 250 }, (_, number) => `id-${1000 + number}`)
      const put = (id: string) => records.put({ ...key, id }, { body: utf8('x'), indexKey: 'l' }, 0)
      await Promise.all(ids.map(put))
      const listed = await records.list('c', { limit: 500, indexKey: 'l' })
      expect(listed.map(({ id }) => id)).toEqual(ids)
    })

    it('returns the records of one moment, also when they change and are compacted', async () => {
      const writer = createStoreAt(server.endpoint, { prefix: 'compacted/' }).records
      await writer.put(key, { body: utf8('x'), indexKey: 'l' }, 0)
      await writer.put({ ...key, id: 'b' }, { body: utf8('x'), indexKey: 'l' }, 0)
      let version = 1
      const { sizes, fetch } = watchFetch(async (count) => {
        if (count % 2 === 0 || count > 3) return
        await writer.put(key, { body: utf8('y'), indexKey: 'l' }, version++)
        if (count > 1) return
        const { header } = await callGateway(server.endpoint, 'kv/range', { key: 'YQ==' })
        const { revision } = header as { revision: string }
        await callGateway(server.endpoint, 'kv/compaction', { revision })
      })
      const { records } = createStoreAt(server.endpoint, { prefix: 'compacted/', fetch })
      const listed = await records.list('c', { limit: 9, indexKey: 'l' })
      expect(listed.map((record) => record.version)).toEqual([2, 1])
      expect(sizes).toHaveLength(4)
    })
  })

  describe('blobs', () => {
    const content = Uint8Array.from({ length: 1_300_000 }, (_, index) => (index * 31) & 255)

    it('stores a large content in chunks, and removes all of them', async () => {
      const { blobs } = createStoreAt(server.endpoint, { prefix: 'chunks/' })
      await blobs.write('v/a', streamOf([content.subarray(0, 7), content.subarray(7)]))
      await blobs.write('v/ab', content)
      expect(await listKeys(server.endpoint, 'chunks/')).toHaveLength(8)
      const found = await blobs.read('v/a')
      expect(found).not.toBeInstanceOf(Uint8Array)
      expect(await readBytes(found ?? utf8(''))).toEqual(content)
      await blobs.delete('v/a')
      expect(await readBytes((await blobs.read('v/ab')) ?? utf8(''))).toEqual(content)
      await blobs.delete('v/ab')
      expect(await listKeys(server.endpoint, 'chunks/')).toEqual([])
    })

    it('rejects a content that is too large, and leaves nothing behind', async () => {
      const options = { prefix: 'large/', maxBlobBytes: 1_200_000 }
      const { blobs } = createStoreAt(server.endpoint, options)
      const rejection = { code: 'CONTENT_TOO_LARGE', status: 413 }
      await expect(blobs.write('v/a', content)).rejects.toMatchObject(rejection)
      let isCancelled = false
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(content.slice(0, 100_000)),
        cancel: () => {
          isCancelled = true
        },
      })
      await expect(blobs.write('v/a', endless)).rejects.toMatchObject(rejection)
      expect(isCancelled).toBe(true)
      expect(await listKeys(server.endpoint, 'large/')).toEqual([])
      await blobs.write('v/a', content.subarray(0, 1_200_000))
    })

    it('rejects a write whose blob is deleted meanwhile, without leftovers', async () => {
      const { blobs } = createStoreAt(server.endpoint, { prefix: 'deleted/' })
      let chunks = 0
      const stream = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            if (++chunks === 3) await blobs.delete('v/a')
            if (chunks < 5) controller.enqueue(content.slice(0, 600_000))
            else controller.close()
          },
        },
        { highWaterMark: 0 },
      )
      await expect(blobs.write('v/a', stream)).rejects.toThrow('deleted while it was written')
      expect(await listKeys(server.endpoint, 'deleted/')).toEqual([])
    })

    it('removes the leftovers of a writer whose process has ended', async () => {
      const { blobs } = createStoreAt(server.endpoint, { prefix: 'ended/' })
      const isStuck = new Promise<void>((resolve) => {
        const dead = createStoreAt(server.endpoint, {
          prefix: 'ended/',
          fetch: (url, init) => {
            // "end ", in the description of the whole blob.
            if (!String(init.body).includes('ZW5kI')) return fetch(url, init)
            resolve()
            return new Promise(() => {})
          },
        })
        void dead.blobs.write('v/a', content)
      })
      await isStuck
      expect(await listKeys(server.endpoint, 'ended/')).toHaveLength(3)
      expect(await blobs.read('v/a')).toBeUndefined()
      await expect(blobs.write('v/a', utf8('x'))).rejects.toThrow('already exists')
      await blobs.delete('v/a')
      expect(await listKeys(server.endpoint, 'ended/')).toEqual([])
      await blobs.write('v/a', utf8('x'))
    })

    it('removes a claim whose answer was lost', async () => {
      let count = 0
      const { blobs } = createStoreAt(server.endpoint, {
        prefix: 'lost/',
        fetch: async (url, init) => {
          const response = await fetch(url, init)
          // The claim is the first request.
          if (++count === 1) throw new TypeError('lost')
          return response
        },
      })
      await expect(blobs.write('v/a', content)).rejects.toMatchObject({ status: 503 })
      expect(await listKeys(server.endpoint, 'lost/')).toEqual([])
    })
  })

  it('keeps stores with different prefixes apart', async () => {
    const prefixes = ['', 'p', 'p/', 'records', 'precords']
    const stores = prefixes.map((prefix) => createStoreAt(server.endpoint, { prefix }))
    for (const [number, { records }] of stores.entries())
      await records.put(key, { body: utf8(String(number)), indexKey: 'l' }, 0)
    for (const [number, { records }] of stores.entries()) {
      const listed = await records.list('c', { limit: 10, indexKey: 'l' })
      expect(listed.map(({ body }) => new TextDecoder().decode(body))).toEqual([String(number)])
    }
  })

  it('makes a write once when its answer is lost, and reports it as unknown', async () => {
    const lossy = await startGateway(async (request: GatewayRequest) => {
      await forward(server.endpoint, request)
      return 'drop' as const
    })
    const { records } = createStoreAt(server.endpoint, {
      prefix: 'unknown/',
      endpoints: [lossy.endpoint, server.endpoint],
    })
    const put = records.put(key, { body: utf8('x') }, 0)
    await expect(put).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(lossy.requests).toHaveLength(1)
    expect(await records.get(key)).toEqual({ version: 1, body: utf8('x') })
    await lossy.close()
  })

  it('serves a vault while one of its endpoints is closed', async () => {
    const closed = await startGateway(() => 'drop')
    await closed.close()
    const store = createStoreAt(server.endpoint, {
      endpoints: [closed.endpoint, server.endpoint],
    })
    const service = createVaultService({ store, history: { maxVersions: 3 } })
    const vault = service.as(createCaller({ id: 'wendy', vaults: '*' }))
    const { id: vaultId } = await vault.createVault({ name: 'Home' })
    const item = { category: 'LOGIN', vault: { id: vaultId }, title: 'Mail' } as const
    const { id: itemId } = await vault.createItem({ vaultId, item })
    const patch = [{ op: 'replace', path: '/title', value: 'E-mail' }] as const
    await vault.patchItem({ vaultId, itemId, patch })
    await vault.attachFile({ vaultId, itemId, name: 'key', content: utf8('k') })
    expect((await vault.listVersions({ vaultId, itemId })).map(({ version }) => version)).toEqual([
      3, 2, 1,
    ])
    expect((await vault.listItems({ vaultId, filter: 'title eq "E-mail"' })).length).toBe(1)
  })
})

describe.runIf(hasEtcd)('createEtcdStore on a server with limits', () => {
  it('reports a server that accepts less, and one whose quota is used up', async () => {
    const flags = ['--max-request-bytes', '300000', '--quota-backend-bytes', '2000000']
    const server = await startEtcd(flags)
    try {
      const { records } = createStoreAt(server.endpoint)
      await expect(records.put(key, { body: new Uint8Array(400_000) }, 0)).rejects.toMatchObject({
        code: 'STORAGE_FAILED',
        message: 'the request is larger than etcd accepts',
      })
      const fill = async (): Promise<never> => {
        for (let number = 0; ; number++)
          await records.put({ ...key, id: `${number}` }, { body: new Uint8Array(250_000) }, 0)
      }
      await expect(fill()).rejects.toMatchObject({
        code: 'STORAGE_UNAVAILABLE',
        message: 'etcd has used up its space quota: compact it, and disarm the alarm',
      })
      expect((await records.get({ ...key, id: '0' }))?.version).toBe(1)
    } finally {
      await server.stop()
    }
  })

  it('writes smaller chunks when requests are limited', async () => {
    const server = await startEtcd(['--max-request-bytes', '100000'])
    try {
      const { blobs } = createStoreAt(server.endpoint, { maxRequestBytes: 100_000 })
      const content = new Uint8Array(250_000).fill(7)
      await blobs.write('v/a', content)
      expect(await readBytes((await blobs.read('v/a')) ?? utf8(''))).toEqual(content)
    } finally {
      await server.stop()
    }
  })
})

describe.runIf(hasEtcd)(
  'createEtcdStore on a server with authentication',
  { timeout: 60_000 },
  () => {
    let server: EtcdServer
    const user = { username: 'vault', password: 'hunter2' }
    beforeAll(async () => {
      server = await startEtcd()
      const call = (path: string, body: object) => callGateway(server.endpoint, path, body)
      await call('auth/user/add', { name: 'root', password: 'root' })
      await call('auth/user/grant', { user: 'root', role: 'root' })
      await call('auth/user/add', { name: user.username, password: user.password })
      await call('auth/role/add', { name: 'vault' })
      const range = { key: Buffer.from('app/').toString('base64'), range_end: 'YXBwMA==' }
      await call('auth/role/grant', { name: 'vault', perm: { permType: 'READWRITE', ...range } })
      await call('auth/user/grant', { user: user.username, role: 'vault' })
      await call('auth/enable', {})
    })
    afterAll(() => server.stop())

    it('reads and writes below the prefix of the user only', async () => {
      const { records, blobs } = createStoreAt(server.endpoint, { ...user, prefix: 'app/' })
      expect(await records.put(key, { body: utf8('x'), indexKey: 'l' }, 0)).toBe(true)
      expect(await listIds(records, 'l')).toEqual(['a'])
      await blobs.write('v/a', utf8('x'))
      await blobs.delete('v/a')
      const other = createStoreAt(server.endpoint, { ...user, prefix: 'other/' }).records
      const message = 'the user has no permission for the keys in etcd'
      await expect(other.get(key)).rejects.toMatchObject({ code: 'STORAGE_FAILED', message })
      await expect(other.put(key, { body: utf8('x') }, 0)).rejects.toMatchObject({ message })
    })

    it('rejects a wrong password, and calls without a user', async () => {
      const wrong = { ...user, password: 'wrong', prefix: 'app/' }
      await expect(createStoreAt(server.endpoint, wrong).records.get(key)).rejects.toMatchObject({
        code: 'STORAGE_FAILED',
        message: 'etcd does not accept the user name or the password',
      })
      const { records } = createStoreAt(server.endpoint, { prefix: 'app/' })
      await expect(records.get(key)).rejects.toMatchObject({
        message: 'etcd requires a user and password',
      })
    })

    it('obtains a new token when the server has forgotten the old one', async () => {
      const { records } = createStoreAt(server.endpoint, { ...user, prefix: 'app/' })
      const ref = { ...key, id: 'restarted' }
      expect(await records.put(ref, { body: utf8('x') }, 0)).toBe(true)
      await server.kill()
      await server.restart()
      expect(await records.put(ref, { body: utf8('y') }, 1)).toBe(true)
      expect(await records.get(ref)).toEqual({ version: 2, body: utf8('y') })
    })

    it('rejects a user when authentication is not enabled', async () => {
      const open = await startEtcd()
      try {
        await expect(createStoreAt(open.endpoint, user).records.get(key)).rejects.toMatchObject({
          message: 'authentication is not enabled in etcd',
        })
      } finally {
        await open.stop()
      }
    })
  },
)
