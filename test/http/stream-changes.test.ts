import { describe, expect, it, onTestFinished } from 'vitest'
import { createStoredActivityLog } from '../../src/activity.js'
import { type Change, watchChanges } from '../../src/changes.js'
import type { HttpHandlerOptions, HttpRequest } from '../../src/http.js'
import {
  AuthenticationUnavailableError,
  type Caller,
  createCaller,
  createVaultService,
} from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createFaultyStore } from '../../src/testing.js'
import { pass } from '../support/changes/watched-vault.js'
import { createHttpHandler } from '../support/http/checked-handlers.js'
import { useVirtualTime } from '../support/virtual-time.js'

const alice = createCaller('alice', '*')
const vaultId = 'v'.repeat(26)

/** Creates a service, and a handler that serves its changes on a virtual clock. */
async function createServedVault(options: Partial<HttpHandlerOptions> = {}) {
  useVirtualTime()
  const start = Date.now()
  const now = () => new Date(start + performance.now())
  const memory = createMemoryStore()
  let isBroken = false
  const store = createFaultyStore(memory, ({ method }) =>
    isBroken && method === 'list' ? 'fail-before' : undefined,
  )
  const activity = createStoredActivityLog(store)
  const service = createVaultService({ store, activity, now })
  await service.createVault(alice, { vaultId, name: 'Home' })
  const changes = { watch: watchChanges, log: store, items: store.records, now }
  const login: { caller: Caller | undefined | Error } = { caller: alice }
  const authenticate = async () => {
    if (login.caller instanceof Error) throw login.caller
    return login.caller
  }
  const handler = createHttpHandler(service, {
    ...{ authenticate, extensions: true, changes },
    ...options,
  })
  /** Requests the stream. `read` returns the next part of it. */
  const open = async (headers: Record<string, string> = {}, method = 'GET') => {
    const request: HttpRequest = {
      method,
      url: '/v1/changes',
      header: (name) => headers[name.toLowerCase()],
      body: null,
    }
    const response = await handler(request)
    if (!(response.body instanceof ReadableStream))
      return { ...response, reader: undefined, read: undefined }
    const reader = response.body.getReader()
    onTestFinished(() => reader.cancel().catch(() => {}))
    const read = async (): Promise<string | undefined> =>
      new TextDecoder().decode((await reader.read()).value) || undefined
    return { ...response, reader, read }
  }
  const breakLog = (): void => {
    isBroken = true
  }
  const rename = (name: string) => service.updateVault(alice, { vaultId, name })
  return { service, open, rename, login, breakLog }
}

function parse(event = ''): Change {
  const [, id, data] = /^id: (.*)\ndata: (.*)\n\n$/.exec(event) ?? []
  const change: Change = JSON.parse(data ?? '{}')
  expect(change.id).toBe(id)
  return change
}

describe('GET /v1/changes', () => {
  it('streams changes as events with their ids, after a comment that sends the headers', async () => {
    const { open, rename } = await createServedVault()
    const { status, headers, read } = await open()
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    expect(await read?.()).toBe(':\n\n')
    expect(parse(await read?.())).toMatchObject({ type: 'vault.created', vaultId, version: 1 })
    await rename('Office')
    expect(parse(await read?.())).toMatchObject({ type: 'vault.updated', vaultId, version: 2 })
  })

  it('sends a comment when there is no change for 15 seconds', async () => {
    const { open } = await createServedVault()
    const { read } = await open()
    await read?.()
    await read?.()
    const before = performance.now()
    expect(await read?.()).toBe(':\n\n')
    expect(Math.round((performance.now() - before) / 1000)).toBe(15)
  })

  it('resumes after `Last-Event-ID`', async () => {
    const { open, rename } = await createServedVault()
    await pass(300)
    await rename('Office')
    const first = await open()
    await first.read?.()
    const { id } = parse(await first.read?.())
    await rename('Shop')
    await pass(300)
    const again = await open({ 'last-event-id': id })
    await again.read?.()
    expect(parse(await again.read?.()).version).toBe(2)
    expect(parse(await again.read?.()).version).toBe(3)
  })

  it('returns 400 when `Last-Event-ID` is not the id of a change in the log', async () => {
    const { open } = await createServedVault()
    expect(await open({ 'last-event-id': 'nonsense' })).toMatchObject({
      status: 400,
      body: expect.stringContaining('since must be the id of a change'),
    })
  })

  it('requests the next change only when the client has taken the one before it', async () => {
    let requested = 0
    const { open } = await createServedVault({
      changes: {
        ...{ log: createMemoryStore(), items: createMemoryStore().records },
        watch: ({ onStart }) => ({
          async *[Symbol.asyncIterator]() {
            onStart?.()
            for (;;) {
              requested++
              const type = 'vault.updated' as const
              yield { type, vaultId, version: requested, at: '', id: String(requested) }
            }
          },
        }),
      },
    })
    const { read } = await open()
    await pass(60)
    expect(requested).toBe(1)
    for (let count = 0; count < 4; count++) await read?.()
    await pass(60)
    expect(requested).toBe(3)
  })

  it.each([
    ['is logged out', undefined],
    ['is another user', createCaller('mallory', '*')],
    ['cannot be authenticated', new AuthenticationUnavailableError('the directory is down')],
  ])('ends the stream when the caller %s', async (_, caller) => {
    const { open, rename, login } = await createServedVault()
    const { read } = await open()
    await read?.()
    await read?.()
    login.caller = caller
    await pass(6)
    await rename('Secret')
    expect(await read?.()).toBeUndefined()
  })

  it('sends no change that waited for the client when the caller can no longer read the vault', async () => {
    const { open, rename, login } = await createServedVault()
    const { read } = await open()
    for (let count = 0; count < 3; count++) await read?.()
    await rename('Office')
    await pass(3)
    login.caller = createCaller('alice', {})
    await pass(6)
    expect(await read?.()).toBe(':\n\n')
    login.caller = createCaller('alice', { [vaultId]: 'read' })
    expect(await read?.()).toBe(':\n\n')
    await rename('Shop')
    expect(parse(await read?.()).version).toBe(3)
  })

  it('fails, and reports the error, when the log cannot be read', async () => {
    const errors: unknown[] = []
    const { open, breakLog } = await createServedVault({ onError: (error) => errors.push(error) })
    const { read } = await open()
    await read?.()
    await read?.()
    breakLog()
    await expect(read?.()).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    expect(errors).toMatchObject([{ code: 'STORAGE_FAILED' }])
    expect(await open()).toMatchObject({ status: 500 })
  })

  it('stops watching when the client disconnects, and for HEAD', async () => {
    let signal: AbortSignal | undefined
    const { open } = await createServedVault({
      changes: {
        ...{ log: createMemoryStore(), items: createMemoryStore().records },
        watch(options) {
          signal = options.signal
          return watchChanges(options)
        },
      },
    })
    const { reader } = await open()
    expect(signal?.aborted).toBe(false)
    await reader?.cancel()
    expect(signal?.aborted).toBe(true)
    expect(await open({}, 'HEAD')).toMatchObject({ status: 200, body: null })
    expect(signal?.aborted).toBe(true)
  })

  it('ends when the watcher ends', async () => {
    const { open } = await createServedVault({
      changes: {
        ...{ log: createMemoryStore(), items: createMemoryStore().records },
        watch: () => ({ async *[Symbol.asyncIterator]() {} }),
      },
    })
    const { read } = await open()
    await read?.()
    expect(await read?.()).toBeUndefined()
  })

  it('returns 401 without a login, calls `beforeOperation`, and records the rejection', async () => {
    const operations: unknown[] = []
    const { service, open, login } = await createServedVault({
      beforeOperation: ({ operation }) => void operations.push(operation),
    })
    await open()
    expect(operations).toEqual(['listActivity'])
    login.caller = undefined
    expect(await open()).toMatchObject({ status: 401 })
    const { entries } = await service.listActivity(alice, {})
    expect(entries).toHaveLength(1)
  })

  it('is not served without both options', async () => {
    const { open } = await createServedVault({ extensions: false })
    expect(await open()).toMatchObject({ status: 404 })
  })
})
