import { describe, expect, it, vi } from 'vitest'
import type { HttpHandlerOptions } from '../../src/http.js'
import {
  createCaller,
  StorageError,
  StorageUnavailableError,
  TooManyRequestsError,
  type VaultService,
} from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createFaultyStore, type TestVault } from '../../src/testing.js'
import { replaceOperations } from '../../tools/reliability/support/replace-operations.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { noteDraft } from '../support/drafts.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { createRequest, itemUrl, parseResponse, vaultUrl } from '../support/http/requests.js'
import { ruleFailed } from '../support/service/rejections.js'

const secret = 'hunter2'
const authenticate = (): ReturnType<typeof createCaller> => createCaller({ id: 'me', vaults: '*' })

/** Creates a handler for the vault's service with some operations replaced. */
function handlerOver(
  vault: TestVault,
  changes: Partial<VaultService>,
  onError: ((error: unknown) => void) | null = () => {},
) {
  const options = { authenticate, onError: onError ?? undefined }
  return createHttpHandler(replaceOperations(vault.service, changes), options as HttpHandlerOptions)
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

describe('createHttpHandler errors', () => {
  it.each<[string, () => Promise<never>]>([
    ['a foreign error', () => Promise.reject(new Error(secret))],
    ['a value that is not an error', () => Promise.reject(secret)],
    ['a broken store', () => Promise.reject(new StorageError(secret))],
    [
      'an error thrown at once',
      () => {
        throw new TypeError(secret)
      },
    ],
  ])('responds with 500 and a fixed message to %s', async (_what, getItem) => {
    const vault = await createTestVault()
    const onError = vi.fn()
    const response = await handlerOver(
      vault,
      { getItem },
      onError,
    )(createRequest(vault, 'GET', itemUrl(vault)))
    await settled()
    expect(parseResponse(response)).toEqual({
      status: 500,
      body: { status: 500, message: 'Internal server error' },
    })
    expect(JSON.stringify(response)).not.toContain(secret)
    expect(onError).toHaveBeenCalledOnce()
  })

  it('prints the error once, without the messages of foreign ones, when there is no onError', async () => {
    class QuotaError extends Error {}
    const findQuota = (): never => {
      throw new QuotaError(secret)
    }
    const print = vi.spyOn(console, 'error').mockImplementation(() => {})
    const vault = await createTestVault({ validateItem: findQuota })
    const printed = async (changes: Partial<VaultService>): Promise<unknown> => {
      const handler = handlerOver(vault, changes, null)
      const body = streamOf([utf8(JSON.stringify(noteDraft(vault.vaultId)))])
      const { status } = await handler(
        createRequest(vault, 'POST', vaultUrl(vault, '/items'), { body }),
      )
      expect(status).toBe(500)
      return print.mock.calls.splice(0)
    }
    const [text, ...others] = (await printed({})) as string[][]
    expect([...(text ?? []), others]).toEqual([
      expect.stringMatching(
        /^cofferkit: request [\da-f-]{36}: RuleError RULE_FAILED: validateItem failed(\n {4}at .+)+\ncaused by QuotaError\n {4}at .*findQuota.*(\n {4}at .+)+$/,
      ),
      [],
    ])
    const broken = new StorageError('the store failed', { cause: new Error(secret) })
    for (const error of [broken, new TypeError(secret), secret]) {
      const [[text = ''] = []] = (await printed({
        createItem: () => Promise.reject(error),
      })) as string[][]
      expect(text).toMatch(
        /^cofferkit: request [\da-f-]{36}: (?:StorageError STORAGE_FAILED: the store failed|TypeError|unknown error)/,
      )
      expect(text).not.toContain(secret)
    }
    print.mockRestore()
  })

  it('prints nothing below status 500, or with onError', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {})
    const vault = await createTestVault()
    const denied = createHttpHandler(vault.service, { authenticate: () => undefined })
    const handler = handlerOver(vault, {})
    const request = createRequest(vault, 'GET', itemUrl(vault))
    expect((await denied(request)).status).toBe(401)
    await vault.service.close()
    expect((await handler(request)).status).toBe(503)
    expect(print).not.toHaveBeenCalled()
    print.mockRestore()
  })

  it('returns 503 with Retry-After when the store is locked', async () => {
    const locked = new StorageUnavailableError('locked')
    const store = createMemoryStore()
    let broken = false
    const vault = await createTestVault({
      store: createFaultyStore(store, () => (broken ? 'fail-before' : undefined), locked),
    })
    broken = true
    const response = await vault.handler(createRequest(vault, 'GET', itemUrl(vault)))
    expect(parseResponse(response)).toEqual({
      status: 503,
      body: { status: 503, message: 'Service temporarily unavailable' },
    })
    expect(response.headers['retry-after']).toBe('1')
  })

  it('responds when onError throws', async () => {
    const vault = await createTestVault()
    const getItem = (): Promise<never> => Promise.reject(new Error(secret))
    const onError = (): never => {
      throw new Error('the log is full')
    }
    const response = await handlerOver(
      vault,
      { getItem },
      onError,
    )(createRequest(vault, 'GET', itemUrl(vault)))
    expect(response.status).toBe(500)
  })

  it('does not call onError for an error of the client', async () => {
    const vault = await createTestVault()
    const onError = vi.fn()
    await handlerOver(vault, {}, onError)(createRequest(vault, 'GET', vaultUrl(vault, '/items/x')))
    await settled()
    expect(onError).not.toHaveBeenCalled()
  })
})

describe('createHttpHandler with other operations', () => {
  it('calls the replaced operation with caller and input, and sets the ETag', async () => {
    const vault = await createTestVault()
    const getItem = vi.fn(async () => ({ ...vault.item, title: 'Wrapped', version: 9 }))
    const response = await handlerOver(vault, { getItem })(
      createRequest(vault, 'GET', itemUrl(vault)),
    )
    expect(parseResponse(response).body).toMatchObject({ title: 'Wrapped' })
    expect(response.headers['etag']).toBe('"9"')
    expect(getItem).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ id: 'me' }),
      { vaultId: vault.vaultId, itemId: vault.item.id },
      { onUnreadable: expect.any(Function) },
    )
  })

  it('calls around with each call, and not the operation when it throws', async () => {
    const calls: unknown[] = []
    const vault = await createTestVault({
      async around({ operation, caller: { id }, client, ids }, next) {
        if (client === undefined) return next()
        calls.push([operation, id, client.userAgent, ids])
        if (operation === 'getItem')
          throw new TooManyRequestsError('slower', { retryAfterSeconds: 6.5 })
        return next()
      },
    })
    const { vaultId, item } = vault
    const handler = createHttpHandler(vault.service, { authenticate })
    const headers = { 'user-agent': 'curl' }
    const limited = await handler(createRequest(vault, 'GET', itemUrl(vault), { headers }))
    expect([limited.status, limited.headers['retry-after'], limited.body]).toEqual([
      429,
      '7',
      '{"status":429,"message":"slower"}',
    ])
    const vaultRequest = createRequest(vault, 'GET', vaultUrl(vault), { headers })
    expect((await handler(vaultRequest)).status).toBe(200)
    expect((await handler(createRequest(vault, 'GET', '/health'))).status).toBe(200)
    expect(calls).toEqual([
      ['getItem', 'me', 'curl', { vaultId, itemId: item.id }],
      ['getVault', 'me', 'curl', { vaultId }],
    ])
  })

  it('sends Retry-After, but not the message, of an error from status 500 up', async () => {
    const error = new StorageUnavailableError('replica 3 is down', { retryAfterSeconds: 30 })
    const vault = await createTestVault({
      around: (call, next) => (call.client ? Promise.reject(error) : next()),
    })
    const handler = createHttpHandler(vault.service, { authenticate, onError: () => {} })
    const { headers, body } = await handler(createRequest(vault, 'GET', itemUrl(vault)))
    expect(headers['retry-after']).toBe('30')
    expect(body).toBe('{"status":503,"message":"Service temporarily unavailable"}')
  })

  it('calls onError with the name of around when it fails', async () => {
    let isReady = false
    const vault = await createTestVault({
      around: (_, next) => (isReady ? Promise.reject(new TypeError(secret)) : next()),
    })
    isReady = true
    const onError = vi.fn()
    const handler = createHttpHandler(vault.service, { authenticate, onError })
    const { status, headers } = await handler(createRequest(vault, 'GET', itemUrl(vault)))
    expect(status).toBe(500)
    await settled()
    const error = { message: 'around failed', ...ruleFailed, cause: { message: 'TypeError' } }
    expect(onError.mock.calls).toMatchObject([[error, {}, headers['x-request-id']]])
  })

  it('calls the other operations of a service that replaces one', async () => {
    const vault = await createTestVault()
    const denied = async (): Promise<never> => {
      throw new StorageUnavailableError('deletes are disabled')
    }
    const handler = handlerOver(vault, { deleteItem: denied })
    expect((await handler(createRequest(vault, 'GET', itemUrl(vault)))).status).toBe(200)
    expect((await handler(createRequest(vault, 'DELETE', itemUrl(vault)))).status).toBe(503)
  })
})

describe('createHttpHandler with concurrent requests', () => {
  it('responds to each request with its own result', async () => {
    const vault = await createTestVault()
    const titles = Array.from({ length: 50 }, (_, index) => `Note ${index}`)
    const responses = await Promise.all(
      titles.map((title) => {
        const body = streamOf([utf8(JSON.stringify(noteDraft(vault.vaultId, { title })))])
        return vault.handler(createRequest(vault, 'POST', vaultUrl(vault, '/items'), { body }))
      }),
    )
    expect(responses.map((response) => parseResponse(response).body)).toMatchObject(
      titles.map((title) => ({ title })),
    )
  })
})
