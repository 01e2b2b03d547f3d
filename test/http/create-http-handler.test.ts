import { describe, expect, it, vi } from 'vitest'
import { createCaller, HttpError, StorageError, type VaultService } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createFaultyStore, noteDraft, type TestVault } from '../../src/testing.js'
import { bytesOf, streamOf, utf8 } from '../support/bytes.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { itemUrl, requestTo, saidIn, vaultUrl } from '../support/http/requests.js'
import { skipBackoff } from '../support/stores/skip-backoff.js'

const secret = 'hunter2'
const authenticate = (): ReturnType<typeof createCaller> => createCaller('me', '*')

/** A handler over the vault's service with some operations replaced. */
function handlerOver(
  vault: TestVault,
  changes: Partial<VaultService>,
  onError?: (error: unknown) => void,
) {
  return createHttpHandler(
    { ...vault.service, ...changes },
    { authenticate, ...(onError && { onError }) },
  )
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

describe('createHttpHandler, a fault behind it', () => {
  it.each<[string, () => Promise<never>]>([
    ['a foreign error', () => Promise.reject(new Error(secret))],
    ['something that is no error', () => Promise.reject(secret)],
    ['a broken store', () => Promise.reject(new StorageError(secret))],
    [
      'an error thrown at once',
      () => {
        throw new TypeError(secret)
      },
    ],
  ])('is answered with 500 and a fixed sentence: %s', async (_what, getItem) => {
    const vault = await createTestVault()
    const onError = vi.fn()
    const response = await handlerOver(
      vault,
      { getItem },
      onError,
    )(requestTo(vault, 'GET', itemUrl(vault)))
    await settled()
    expect(saidIn(response)).toEqual({
      status: 500,
      body: { status: 500, message: 'Internal server error' },
    })
    expect(JSON.stringify(response)).not.toContain(secret)
    expect(onError).toHaveBeenCalledOnce()
  })

  it('is answered with 503 and Retry-After when the store is locked', async () => {
    const locked = new StorageError('locked', { code: 'STORAGE_UNAVAILABLE' })
    const store = createMemoryStore()
    let broken = false
    const vault = await createTestVault({
      store: createFaultyStore(store, () => (broken ? 'fail-before' : undefined), locked),
    })
    broken = true
    const response = await vault.handler(requestTo(vault, 'GET', itemUrl(vault)))
    expect(saidIn(response)).toEqual({
      status: 503,
      body: { status: 503, message: 'Service temporarily unavailable' },
    })
    expect(response.headers['retry-after']).toBe('1')
  })

  it('is answered with 409 and Retry-After when every race is lost', async () => {
    skipBackoff()
    let lost = false
    const vault = await createTestVault({
      store: createFaultyStore(createMemoryStore(), ({ method }) =>
        lost && method === 'put' ? 'conflict' : undefined,
      ),
    })
    lost = true
    const body = { parsed: [{ op: 'replace', path: '/title', value: secret }] }
    const response = await vault.handler(requestTo(vault, 'PATCH', itemUrl(vault), { body }))
    expect([response.status, response.headers['retry-after']]).toEqual([409, '1'])
    expect(response.body).not.toContain(secret)
  })

  it('is answered all the same when onError fails too', async () => {
    const vault = await createTestVault()
    const getItem = (): Promise<never> => Promise.reject(new Error(secret))
    const onError = (): never => {
      throw new Error('the log is full')
    }
    const response = await handlerOver(
      vault,
      { getItem },
      onError,
    )(requestTo(vault, 'GET', itemUrl(vault)))
    expect(response.status).toBe(500)
  })

  it('is not told to the operator when it is the client’s', async () => {
    const vault = await createTestVault()
    const onError = vi.fn()
    await handlerOver(vault, {}, onError)(requestTo(vault, 'GET', vaultUrl(vault, '/items/x')))
    await settled()
    expect(onError).not.toHaveBeenCalled()
  })
})

describe('createHttpHandler, a service that somebody has wrapped', () => {
  it('calls the operation that was put in, with caller and input, and tags its answer', async () => {
    const vault = await createTestVault()
    const getItem = vi.fn(async () => ({ ...vault.item, title: 'Wrapped', version: 9 }))
    const response = await handlerOver(vault, { getItem })(requestTo(vault, 'GET', itemUrl(vault)))
    expect(saidIn(response).body).toMatchObject({ title: 'Wrapped' })
    expect(response.headers['etag']).toBe('"9"')
    expect(getItem).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: 'me' }), {
      vaultId: vault.vaultId,
      itemId: vault.item.id,
    })
  })

  it('is not asked where `beforeOperation` refuses, and `beforeOperation` is told who asks what', async () => {
    const vault = await createTestVault()
    const told: unknown[] = []
    const handler = createHttpHandler(vault.service, {
      authenticate,
      async beforeOperation({ operation, caller: { id }, request: { url } }) {
        told.push([operation, id, url])
        const headers = { 'Retry-After': '7' }
        if (operation === 'getItem') throw new HttpError('TOO_MANY_REQUESTS', 'slower', { headers })
      },
    })
    const refused = await handler(requestTo(vault, 'GET', itemUrl(vault)))
    expect([refused.status, refused.headers['retry-after'], refused.body]).toEqual([
      429,
      '7',
      '{"status":429,"message":"slower"}',
    ])
    expect((await handler(requestTo(vault, 'GET', vaultUrl(vault)))).status).toBe(200)
    expect((await handler(requestTo(vault, 'GET', '/health'))).status).toBe(200)
    expect(told).toEqual([
      ['getItem', 'me', itemUrl(vault)],
      ['getVault', 'me', vaultUrl(vault)],
    ])
  })

  it('is answered with 503 where `beforeOperation` never answers', async () => {
    const vault = await createTestVault()
    const handler = createHttpHandler(vault.service, {
      authenticate,
      authenticationTimeoutMs: 5,
      beforeOperation: () => new Promise(() => {}),
    })
    expect((await handler(requestTo(vault, 'GET', itemUrl(vault)))).status).toBe(503)
  })

  it('calls it as a method of the service', async () => {
    const vault = await createTestVault()
    class Logging {
      readonly calls: string[] = []
      readonly dialect = vault.service.dialect
      async getVault(): Promise<unknown> {
        this.calls.push('getVault')
        return vault.service.getVault(vault.caller, { vaultId: vault.vaultId })
      }
    }
    const logging = new Logging()
    const service = logging as unknown as VaultService
    const response = await createHttpHandler(service, { authenticate })(
      requestTo(vault, 'GET', vaultUrl(vault)),
    )
    expect([response.status, logging.calls]).toEqual([200, ['getVault']])
  })

  it('still finds the operations of the library under other names and in other objects', async () => {
    const vault = await createTestVault()
    const denied = async (): Promise<never> => {
      throw new StorageError('nobody deletes here', { code: 'STORAGE_UNAVAILABLE' })
    }
    const handler = handlerOver(vault, { deleteItem: denied })
    expect((await handler(requestTo(vault, 'GET', itemUrl(vault)))).status).toBe(200)
    expect((await handler(requestTo(vault, 'DELETE', itemUrl(vault)))).status).toBe(503)
  })
})

describe('createHttpHandler, many at once', () => {
  it('answers each request with what it asked for', async () => {
    const vault = await createTestVault()
    const titles = Array.from({ length: 50 }, (_, index) => `Note ${index}`)
    const answers = await Promise.all(
      titles.map((title) => {
        const body = streamOf([utf8(JSON.stringify(noteDraft(vault.vaultId, { title })))])
        return vault.handler(requestTo(vault, 'POST', vaultUrl(vault, '/items'), { body }))
      }),
    )
    expect(answers.map((answer) => saidIn(answer).body)).toMatchObject(
      titles.map((title) => ({ title })),
    )
  })
})

describe('createHttpHandler, a file', () => {
  it('answers 500 when the stored content is shorter or longer than its item says', async () => {
    for (const wrong of ['hell', 'hello!']) {
      const inner = createMemoryStore()
      const blobs = { ...inner.blobs, read: async () => streamOf([utf8(wrong)]) }
      const vault = await createTestVault({ store: { ...inner, blobs } })
      const { smallFile } = vault
      const inlined = await vault.handler(
        requestTo(vault, 'GET', itemUrl(vault, `/files/${smallFile.id}?inline_files=true`)),
      )
      expect(saidIn(inlined)).toEqual({
        status: 500,
        body: { status: 500, message: 'Internal server error' },
      })
      const download = await vault.handler(requestTo(vault, 'GET', smallFile.content_path))
      await expect(bytesOf(download.body as ReadableStream<Uint8Array>)).rejects.toThrow(
        StorageError,
      )
    }
  })

  it('inlines as many bytes as it may, and not one more', async () => {
    const vault = await createTestVault()
    const attach = (size: number) =>
      vault.service.attachFile(vault.caller, {
        vaultId: vault.vaultId,
        itemId: vault.item.id,
        name: 'x',
        content: new Uint8Array(size),
      })
    for (const [size, status] of [
      [1024, 200],
      [1025, 413],
    ] as const) {
      const { id } = await attach(size)
      const response = await vault.handler(
        requestTo(vault, 'GET', itemUrl(vault, `/files/${id}?inline_files=true`)),
      )
      expect(response.status).toBe(status)
    }
  })

  it('lets go of the content when only its head is asked for', async () => {
    const vault = await createTestVault()
    const cancelled = vi.fn()
    const content = new ReadableStream<Uint8Array>({ cancel: cancelled })
    const handler = handlerOver(vault, {
      readFileContent: async () => ({ name: 'x', size: 5, content }),
    })
    const response = await handler(requestTo(vault, 'HEAD', vault.smallFile.content_path))
    expect([response.body, response.headers['content-length']]).toEqual([null, '5'])
    expect(cancelled).toHaveBeenCalledOnce()
  })
})
