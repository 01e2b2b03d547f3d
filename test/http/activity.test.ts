import { describe, expect, it, vi } from 'vitest'
import { createMemoryActivityLog } from '../../src/activity.js'
import { createNodeListener } from '../../src/adapters/node.js'
import type { HttpHandlerOptions, HttpRequest } from '../../src/http.js'
import {
  type ActivityEntry,
  type Caller,
  createCaller,
  createVaultService,
} from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import {
  createFaultyStore,
  createTestClock,
  type TestVault,
  type TestVaultOptions,
} from '../../src/testing.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { createRequest, itemUrl, parseResponse, vaultUrl } from '../support/http/requests.js'
import { withListener } from '../support/http/serve.js'
import { fileRef, itemRef } from '../support/items/refs.js'
import { createSpyLog } from '../support/service/observed-calls.js'
import { createRecordingStore } from '../support/stores/stores.js'

const requestId = '0192d3a4-5678-7abc-8def-0123456789ab'
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * Creates a test vault with an activity log, and returns it with the entries recorded after that.
 */
async function recordedVault(
  options: TestVaultOptions<undefined> = {},
  httpOptions: Partial<HttpHandlerOptions> = {},
): Promise<TestVault & { entries: ActivityEntry[] }> {
  const log = createSpyLog()
  const vault = await createTestVault({ activity: log, ...options }, httpOptions)
  log.collected.length = 0
  return { ...vault, entries: log.collected }
}

describe('createHttpHandler activity', () => {
  it('records the id of the request, the client, its address and the id of the token', async () => {
    const vault = await recordedVault()
    const caller: Caller = { ...createCaller({ id: 'me', vaults: '*' }), tokenId: 'token-7' }
    const handler = createHttpHandler(vault.service, { authenticate: () => caller })
    const headers = { 'x-request-id': requestId, 'user-agent': 'tests/1' }
    await withListener(createNodeListener(handler), async (origin) => {
      await fetch(origin + itemUrl(vault), { headers })
    })
    expect(vault.entries).toMatchObject([
      {
        requestId: expect.stringMatching(uuid),
        clientRequestId: requestId,
        actor: { id: 'me', jti: 'token-7', userAgent: 'tests/1', requestIp: '127.0.0.1' },
        resource: { type: 'ITEM', itemVersion: 3 },
      },
    ])
  })

  it('records the id of the response, and an id that the client cannot choose', async () => {
    const vault = await recordedVault()
    const ids = [requestId, 'trace-1', `${requestId}0`, undefined, 'x'.repeat(200)]
    for (const id of ids) {
      const headers = { 'x-request-id': id }
      const response = await vault.handler(createRequest(vault, 'GET', itemUrl(vault), { headers }))
      expect(vault.entries.at(-1)).toMatchObject({
        requestId: expect.stringMatching(uuid),
        clientRequestId: response.headers['x-request-id'],
      })
    }
    expect(new Set(vault.entries.map((entry) => entry.requestId)).size).toBe(ids.length)
    expect(vault.entries.map((entry) => entry.requestId)).not.toContain(requestId)
  })

  it('lists entries with the published members and no others', async () => {
    const activity = createMemoryActivityLog()
    const vault = await createTestVault({ activity })
    const headers = { 'x-request-id': requestId, authorization: '' }
    for (let count = 0; count < 3; count++)
      await vault.handler(createRequest(vault, 'GET', itemUrl(vault), { headers }))
    const caller = { ...vault.caller, client: { userAgent: 'tests/1', requestIp: '192.0.2.1' } }
    await vault.service.getItem({ ...caller, tokenId: 'token-7' }, itemRef(vault))
    await vault.service.getFileDetails(caller, fileRef(vault))
    const { entries } = await vault.service.listActivity(vault.caller)
    expect(entries[0]).toMatchObject({
      operation: 'getFileDetails',
      resource: { file: { id: vault.smallFile.id } },
    })
    expect(entries[2]).toHaveProperty('clientRequestId', requestId)
    const response = await vault.handler(createRequest(vault, 'GET', '/v1/activity'))
    const listed: ActivityEntry[] = JSON.parse(String(response.body))
    const resource = { type: 'ITEM', vault: { id: vault.vaultId }, item: { id: vault.item.id } }
    expect(listed[0]?.resource).toEqual(resource)
    expect(listed[1]).toMatchObject({
      actor: { id: 'tester', jti: 'token-7', userAgent: 'tests/1', ip: '192.0.2.1' },
      resource: { ...resource, itemVersion: 3 },
    })
    expect(Object.keys(listed[1]?.actor ?? {})).toEqual(['id', 'jti', 'userAgent', 'ip'])
    for (const entry of listed)
      expect(Object.keys(Object(entry))).toEqual([
        'requestId',
        'timestamp',
        'action',
        'result',
        'actor',
        'resource',
      ])
  })

  it('truncates the user agent and the address of the client', async () => {
    const vault = await recordedVault()
    const headers = { 'user-agent': 'x'.repeat(5000) }
    const request = createRequest(vault, 'GET', itemUrl(vault), { headers })
    await vault.handler({ ...request, remoteAddress: '9'.repeat(500) })
    expect(vault.entries[0]?.actor).toEqual({
      id: 'full',
      userAgent: 'x'.repeat(256),
      requestIp: '9'.repeat(64),
    })
  })

  it('prefers the client of the caller to that of the request', async () => {
    const vault = await recordedVault()
    const caller: Caller = {
      ...createCaller({ id: 'me', vaults: '*' }),
      client: { requestIp: '203.0.113.9' },
    }
    const handler = createHttpHandler(vault.service, { authenticate: () => caller })
    const headers = { 'x-request-id': requestId }
    const request = createRequest(vault, 'GET', itemUrl(vault), { headers })
    await handler({ ...request, remoteAddress: '127.0.0.1' })
    expect(vault.entries[0]).toMatchObject({
      clientRequestId: requestId,
      actor: { requestIp: '203.0.113.9' },
    })
  })
})

describe('createHttpHandler activity of rejected requests', () => {
  const from = (request: HttpRequest): HttpRequest => ({ ...request, remoteAddress: '192.0.2.1' })
  const text = (body: string) => ({ body: streamOf([utf8(body)]) })
  const secret = 'hunter2hunter2hunter2hunter2'
  const cases: [string, number, (vault: TestVault) => HttpRequest][] = [
    [
      'no token',
      401,
      (v) => createRequest(v, 'GET', itemUrl(v), { headers: { authorization: '' } }),
    ],
    ['invalid JSON', 400, (v) => createRequest(v, 'PUT', itemUrl(v), text(`{"${secret}`))],
    [
      'an invalid query',
      400,
      (v) => createRequest(v, 'GET', itemUrl(v, `/files/x?inline_files=${secret}`)),
    ],
    [
      'an invalid entity tag',
      400,
      (v) => createRequest(v, 'DELETE', itemUrl(v), { headers: { 'if-match': secret } }),
    ],
    [
      'another content type',
      415,
      (v) =>
        createRequest(v, 'PUT', itemUrl(v), { ...text(''), headers: { 'content-type': secret } }),
    ],
    [
      'a large body',
      413,
      (v) =>
        createRequest(v, 'PUT', itemUrl(v), { ...text(''), headers: { 'content-length': '9e9' } }),
    ],
  ]

  it.each(cases)('records the client of a request with %s', async (_, status, requestOf) => {
    const vault = await recordedVault()
    const request = from(requestOf(vault))
    expect((await vault.handler(request)).status).toBe(status)
    expect(vault.entries).toMatchObject([
      {
        result: 'DENY',
        actor: { id: status === 401 ? '' : 'full', requestIp: '192.0.2.1' },
        resource: { vault: { id: vault.vaultId }, item: { id: vault.item.id } },
      },
    ])
    expect(JSON.stringify(vault.entries)).not.toContain(secret)
  })

  it.each(cases)(
    'responds with 503 when a request with %s cannot be recorded',
    async (_, _status, requestOf) => {
      const activity = createSpyLog(() => Promise.reject(new Error('full')))
      const store = createRecordingStore()
      const vault = await createTestVault({ store })
      const service = createVaultService({ store, activity })
      const handler = createHttpHandler(service, {
        authenticate: ({ header }) => (header('authorization') ? vault.caller : undefined),
      })
      store.calls.length = 0
      expect((await handler(requestOf(vault))).status).toBe(503)
      expect(store.calls).toEqual([])
    },
  )

  it('records a request without a caller when authenticate fails', async () => {
    const authenticate = (): never => {
      throw new Error('the keys cannot be fetched')
    }
    const vault = await recordedVault({}, { authenticate })
    expect((await vault.handler(createRequest(vault, 'GET', itemUrl(vault)))).status).toBe(503)
    expect(vault.entries).toMatchObject([{ result: 'DENY', actor: { id: '' } }])
  })

  it('records no invalid id', async () => {
    const vault = await recordedVault()
    const url = `/v1/vaults/${secret}/items/${secret}`
    await vault.handler(createRequest(vault, 'GET', url, { headers: { authorization: '' } }))
    expect(vault.entries[0]?.resource).toEqual({ type: 'ITEM' })
  })

  it('records a rejected request without calling around', async () => {
    const around = vi.fn((_: unknown, next: () => Promise<void>) => next())
    const vault = await recordedVault({ around }, { authenticate: () => undefined })
    around.mockClear()
    expect((await vault.handler(createRequest(vault, 'DELETE', itemUrl(vault)))).status).toBe(401)
    expect(around).not.toHaveBeenCalled()
    expect(vault.entries).toMatchObject([{ action: 'DELETE', result: 'DENY' }])
  })
})

describe('createHttpHandler activity of other requests', () => {
  it.each(['/heartbeat', '/health', '/metrics', '/v1/nothing', '/'])(
    'does not record %s',
    async (url) => {
      const vault = await recordedVault()
      await vault.handler(createRequest(vault, 'GET', url))
      await vault.handler(createRequest(vault, 'TRACE', vaultUrl(vault)))
      expect(vault.entries).toEqual([])
    },
  )
})

describe('GET /v1/activity', () => {
  async function withActivity(calls: number): Promise<TestVault> {
    const vault = await createTestVault({ activity: createMemoryActivityLog() })
    for (let call = 0; call < calls; call++)
      await vault.service.getVault(vault.caller, { vaultId: vault.vaultId })
    return vault
  }
  const get = (vault: TestVault, query: string) =>
    vault.handler(createRequest(vault, 'GET', `/v1/activity${query}`))

  it('returns a page of entries and its content range', async () => {
    const vault = await withActivity(60)
    const response = await get(vault, '')
    expect(parseResponse(response)).toMatchObject({ status: 200, body: { length: 50 } })
    expect(response.headers['content-range']).toBe('1-50/65')
    const { headers, body } = await get(vault, '?limit=20&offset=50')
    expect(headers['content-range']).toBe('51-66/66')
    expect(JSON.parse(String(body))).toHaveLength(16)
  })

  it('returns an empty content range when there are no entries on the page', async () => {
    const vault = await createTestVault()
    expect((await get(vault, '')).headers['content-range']).toBe('*/0')
    expect((await get(await withActivity(0), '?offset=5')).headers['content-range']).toBe('*/5')
  })

  it.each(['limit=x', 'offset=-1', 'offset=1.5', 'limit=1&limit=2'])(
    'rejects %s with 400',
    async (query) => {
      const vault = await withActivity(0)
      expect((await get(vault, `?${query}`)).status).toBe(400)
    },
  )
})

describe('GET /v1/activity with extensions', () => {
  /** A test vault with extensions, after some calls. */
  async function withCalls() {
    const vault = await createTestVault(
      { activity: createMemoryActivityLog() },
      { extensions: true },
    )
    const { service, caller } = vault
    const ref = itemRef(vault)
    await service.listFiles({ ...caller, id: 'ann' }, ref)
    await service.describeItem({ ...caller, id: 'bob' }, ref)
    await expect(service.deleteItem(caller, { ...ref, ifVersion: 99 })).rejects.toThrow()
    return vault
  }
  const get = (vault: TestVault, query: string) =>
    vault.handler(createRequest(vault, 'GET', `/v1/activity${query}`))
  const listed = async (vault: TestVault, query: string): Promise<ActivityEntry[]> =>
    JSON.parse(String((await get(vault, query)).body))

  it('returns every member of an entry', async () => {
    const vault = await withCalls()
    const [denied] = await listed(vault, '?limit=1')
    expect(denied).toMatchObject({
      ...{ operation: 'deleteItem', result: 'DENY', code: 'PRECONDITION_FAILED' },
      ...{ durationMs: expect.any(Number), actor: { id: 'tester' } },
    })
    const headers = { 'x-request-id': requestId }
    await vault.handler(createRequest(vault, 'GET', itemUrl(vault), { headers }))
    expect((await listed(vault, '?operation=getItem'))[0]?.clientRequestId).toBe(requestId)
  })

  it.each([
    ['operation=listFiles', ['ann']],
    ['caller_id=bob', ['bob']],
    ['result=DENY', ['tester']],
    ['since=2100-01-01T00:00:00Z', []],
    ['until=2000-01-01T00:00:00Z', []],
  ])('filters by %s', async (query, actors) => {
    const vault = await withCalls()
    expect((await listed(vault, `?${query}`)).map(({ actor }) => actor.id)).toEqual(actors)
  })

  it('filters by vault and item, and counts no filtered entries', async () => {
    const vault = await withCalls()
    const { vaultId, item } = vault
    const response = await get(vault, `?vault_id=${vaultId}&item_id=${item.id}&operation=listFiles`)
    expect(response.headers['content-range']).toBe('1-1/*')
    expect((await get(vault, `?item_id=${item.id}`)).status).toBe(400)
    expect((await get(vault, `?vault_id=${'z'.repeat(26)}`)).status).toBe(200)
  })

  it('links to the next page, except from the last one', async () => {
    const vault = await withCalls()
    const all = (await listed(vault, '?limit=1000')).map(({ requestId: id }) => id)
    const paged: string[] = []
    let query = '?limit=2&offset=0'
    for (let pages = 0; query !== '' && pages < 20; pages++) {
      const { headers, body } = await get(vault, query)
      const entries = JSON.parse(String(body)) as ActivityEntry[]
      // The calls of this loop are recorded as well, before the others.
      paged.push(
        ...entries.filter(({ requestId: id }) => all.includes(id)).map(({ requestId: id }) => id),
      )
      query = /^<(\?[^>]+)>; rel="next"$/.exec(headers['link'] ?? '')?.[1] ?? ''
    }
    expect(paged).toEqual(all)
  })

  it('answers 403 for a vault that the caller cannot read', async () => {
    const vault = await withCalls()
    const reader = createCaller({ id: 'reader', vaults: { ['y'.repeat(26)]: 'read' } })
    const handler = createHttpHandler(vault.service, {
      authenticate: () => reader,
      extensions: true,
    })
    const url = `/v1/activity?vault_id=${vault.vaultId}`
    expect((await handler(createRequest(vault, 'GET', url))).status).toBe(403)
  })

  it('names the permission to read when the caller can only write', async () => {
    const vault = await withCalls()
    const writer = createCaller({ id: 'writer', vaults: { [vault.vaultId]: 'write' } })
    const call = vault.service.listActivity(writer, { vaultId: vault.vaultId })
    await expect(call).rejects.toThrow('for reading')
  })

  it('ignores filters without extensions', async () => {
    const vault = await createTestVault({ activity: createMemoryActivityLog() })
    const all = await listed(vault, '')
    expect(await listed(vault, '?operation=none')).toHaveLength(all.length + 1)
    expect((await get(vault, '')).headers).not.toHaveProperty('link')
  })
})

describe('GET /v1/activity and a pending entry', () => {
  it.each([
    [59_999, false, []],
    [60_000, false, ['SUCCESS']],
    [0, true, ['PENDING']],
  ])('%i ms old, with extensions: %s, has the results %j', async (age, extensions, results) => {
    const clock = createTestClock()
    let isBroken = false
    const store = createFaultyStore(createMemoryStore(), ({ method }) =>
      isBroken && method === 'delete' ? 'fail-after' : undefined,
    )
    const activity = createMemoryActivityLog()
    const vault = await createTestVault({ store, activity, now: clock }, { extensions })
    const { service, caller } = vault
    const { id: itemId } = await service.createItem(caller, {
      vaultId: vault.vaultId,
      item: { category: 'LOGIN', title: 'x' },
    })
    isBroken = true
    const ref = { vaultId: vault.vaultId, itemId }
    await expect(service.deleteItem(caller, ref)).rejects.toMatchObject({ status: 500 })
    clock.advance(age)
    const response = await vault.handler(createRequest(vault, 'GET', '/v1/activity'))
    const entries = JSON.parse(String(response.body)) as ActivityEntry[]
    const ofDeletion = entries.filter(({ action }) => action === 'DELETE')
    expect(ofDeletion.map(({ result }) => result)).toEqual(results)
  })
})
