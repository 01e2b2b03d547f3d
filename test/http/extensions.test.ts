import { describe, expect, it } from 'vitest'
import { createCallbackActivityLog } from '../../src/activity.js'
import { routes } from '../../src/http/routes.js'
import type { HttpResponse } from '../../src/http.js'
import { createCaller } from '../../src/index.js'
import type { TestVault } from '../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../support/bytes.js'
import { noteDraft } from '../support/drafts.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { createNotes } from '../support/http/pagination.js'
import { createRequest, itemUrl, vaultUrl } from '../support/http/requests.js'

interface JsonResponse {
  readonly status: number
  readonly headers: HttpResponse['headers']
  // biome-ignore lint/suspicious/noExplicitAny: each test requests another type.
  readonly json: any
}

/** Sends a request, with a JSON body and with `If-Match` if they are given. */
async function send(
  { handler, tokens }: TestVault,
  [method, url]: readonly [string, string],
  { json, ifMatch }: { json?: unknown; ifMatch?: string } = {},
): Promise<JsonResponse> {
  const body = json === undefined ? null : streamOf([utf8(JSON.stringify(json))])
  const headers = { ...(ifMatch !== undefined && { 'if-match': ifMatch }) }
  const response = await handler(createRequest({ tokens }, method, url, { body, headers }))
  const text = typeof response.body === 'string' ? response.body : ''
  return { ...response, json: text === '' ? undefined : JSON.parse(text) }
}

const extendedVault = (): Promise<TestVault> =>
  createTestVault({ history: { maxVersions: 10 } }, { extensions: true })

const extensionRoutes = routes.filter(({ extension }) => extension)

/** Returns the method and the URL of a route for the item of the vault. */
function requestLine(vault: TestVault, { method, path }: (typeof routes)[number]) {
  const parts = { vaultId: vault.vaultId, itemId: vault.item.id, fileId: vault.smallFile.id }
  const url = Object.entries({ ...parts, version: '2' }).reduce(
    (line, [name, value]) => line.replace(`{${name}}`, value),
    path,
  )
  return [method, url] as const
}

describe('createHttpHandler without extensions', () => {
  it.each(extensionRoutes)('has no $operation: $method $path', async (route) => {
    const vault = await createTestVault()
    const { status, headers } = await send(vault, requestLine(vault, route))
    expect([404, 405]).toContain(status)
    if (status === 405) expect(headers['allow']?.split(', ')).not.toContain(route.method)
  })

  it('ignores the parameters of pages', async () => {
    const vault = await createTestVault()
    await createNotes(vault, [{}, {}])
    for (const url of ['/v1/vaults?limit=x', vaultUrl(vault, '/items?limit=1&after=!')]) {
      const { status, headers } = await send(vault, ['GET', url])
      expect([status, headers['link']]).toEqual([200, undefined])
    }
    expect((await send(vault, ['GET', vaultUrl(vault, '/items?limit=1')])).json).toHaveLength(3)
  })
})

describe('createHttpHandler extensions: vaults', () => {
  it('creates, renames and deletes a vault', async () => {
    const vault = await createTestVault({ strict: false }, { extensions: true })
    const created = await send(vault, ['POST', '/v1/vaults'], {
      json: { name: 'New', description: 'of mine', createdAt: 'ignored' },
    })
    expect([created.status, created.headers['etag']]).toEqual([200, '"1"'])
    expect(created.json).toMatchObject({ name: 'New', description: 'of mine', attributeVersion: 1 })
    const url = `/v1/vaults/${created.json.id}`
    const renamed = await send(vault, ['PATCH', url], {
      json: { name: 'Newer', description: null },
      ifMatch: '"1"',
    })
    expect([renamed.status, renamed.headers['etag'], renamed.json.name]).toEqual([
      200,
      '"2"',
      'Newer',
    ])
    expect(renamed.json).not.toHaveProperty('description')
    expect(
      (await send(vault, ['PATCH', url], { json: { name: 'x' }, ifMatch: '"1"' })).status,
    ).toBe(412)
    expect((await send(vault, ['DELETE', url], { ifMatch: '"1"' })).status).toBe(412)
    expect((await send(vault, ['GET', url])).status).toBe(200)
    const deleted = await send(vault, ['DELETE', url], { ifMatch: '"2"' })
    expect([deleted.status, deleted.json]).toEqual([204, undefined])
    expect((await send(vault, ['GET', url])).status).toBe(404)
  })

  it('changes the vault of the path and not that of the body', async () => {
    const vault = await extendedVault()
    const json = { name: 'Mine', vaultId: 'z'.repeat(26), ifVersion: 99 }
    const { json: changed } = await send(vault, ['PATCH', vaultUrl(vault)], { json })
    expect([changed.id, changed.name]).toEqual([vault.vaultId, 'Mine'])
  })

  it.each([[], 'text', null, 7])(
    'responds with 400 when the body of a new vault is %j',
    async (json) => {
      const { status, json: error } = await send(await extendedVault(), ['POST', '/v1/vaults'], {
        json,
      })
      expect([status, error.message]).toEqual([400, 'the body must be an object'])
    },
  )
})

describe('createHttpHandler extensions: permissions', () => {
  it.each([
    ['create', createCaller({ id: 'wendy', vaults: '*' })],
    ['', createCaller({ id: 'wendy', vaults: {} })],
    ['', { id: 'wendy', can: () => Promise.reject(new Error('failed')), filterVaults: () => [] }],
  ])(
    'adds X-Permissions: %j to the list of vaults when the request prefers it',
    async (permissions, caller) => {
      const vault = await extendedVault()
      for (const extensions of [true, false]) {
        const handler = createHttpHandler(vault.service, { authenticate: () => caller, extensions })
        const url = '/v1/vaults'
        const plain = await handler(createRequest(vault, 'GET', url))
        expect(plain.headers['x-permissions']).toBeUndefined()
        const headers = { prefer: 'permissions' }
        const response = await handler(createRequest(vault, 'GET', url, { headers }))
        expect(response).toMatchObject({ status: 200 })
        expect(response.headers['x-permissions']).toBe(extensions ? permissions : undefined)
      }
    },
  )
})

describe('createHttpHandler extensions: the log', () => {
  it('asks for the permissions before the list of vaults is recorded, in one entry', async () => {
    const events: string[] = []
    const activity = createCallbackActivityLog(({ operation, result }) =>
      events.push(`${operation} ${result}`),
    )
    const vault = await createTestVault({ activity }, { extensions: true })
    events.length = 0
    const caller = createCaller({ id: 'wendy', vaults: '*' })
    const can: typeof caller.can = async (permission, vaultId, operation) => {
      events.push(`can ${permission} ${operation}`)
      return caller.can(permission, vaultId, operation)
    }
    const authenticate = () => ({ id: 'wendy', can, filterVaults: () => [] })
    const handler = createHttpHandler(vault.service, { authenticate, extensions: true })
    const headers = { prefer: 'permissions' }
    await handler(createRequest(vault, 'GET', '/v1/vaults', { headers }))
    expect(events).toEqual(['can create createVault', 'listVaults SUCCESS'])
  })
})

describe('createHttpHandler extensions: items', () => {
  it('returns many items in the order of the ids', async () => {
    const vault = await extendedVault()
    const [one] = await createNotes(vault, [{ title: 'One' }])
    const itemIds = [one?.id, 'b'.repeat(26), vault.item.id]
    const { status, json, headers } = await send(vault, ['POST', vaultUrl(vault, '/get-items')], {
      json: { itemIds },
    })
    expect([status, headers['link']]).toEqual([200, undefined])
    expect(json.map(({ id }: { id: string }) => id)).toEqual([one?.id, vault.item.id])
    expect(json[1]).toEqual(vault.item)
  })

  it('generates the value of a field again', async () => {
    const vault = await extendedVault()
    const url = itemUrl(vault, '/fields/pin/regenerate')
    const json = { recipe: { characterSets: ['DIGITS'], length: 6 } }
    const changed = await send(vault, ['POST', url], { json, ifMatch: '"3"' })
    expect([changed.status, changed.headers['etag']]).toEqual([200, '"4"'])
    expect(changed.json.fields[2]).toEqual({
      ...vault.item.fields[2],
      value: expect.stringMatching(/^\d{6}$/),
    })
    expect((await send(vault, ['POST', url], { json: {}, ifMatch: '"3"' })).status).toBe(412)
    const absent = itemUrl(vault, '/fields/a%20b/regenerate')
    expect((await send(vault, ['POST', absent], { json: {} })).json).toEqual({
      status: 400,
      message: "The item doesn't have a a b field.",
    })
    const invalid = itemUrl(vault, '/fields/%ff/regenerate')
    expect((await send(vault, ['POST', invalid], { json: {} })).status).toBe(404)
  })

  it('archives an item and restores it', async () => {
    const vault = await extendedVault()
    const put = (json: object, ifMatch: string) =>
      send(vault, ['PUT', itemUrl(vault, '/state')], { json, ifMatch })
    const archived = await put({ state: 'ARCHIVED' }, '"3"')
    expect([archived.status, archived.headers['etag'], archived.json.state]).toEqual([
      200,
      '"4"',
      'ARCHIVED',
    ])
    expect((await put({ state: null }, '"3"')).status).toBe(412)
    const used = await put({ state: null }, '"4"')
    expect([used.status, used.json.version, 'state' in used.json]).toEqual([200, 5, false])
    expect((await put({ state: 'GONE' }, '"5"')).status).toBe(400)
    expect((await put({ state: 'ARCHIVED' }, '"5"')).status).toBe(200)
    const active = await put({ state: 'ACTIVE' }, '"6"')
    expect([active.status, active.json.version, 'state' in active.json]).toEqual([200, 7, false])
  })

  it('lists, reads and restores the versions of an item', async () => {
    const vault = await extendedVault()
    const url = itemUrl(vault)
    await send(vault, ['PUT', url], { json: noteDraft(vault.vaultId, { title: 'Later' }) })
    const { json: listed } = await send(vault, ['GET', `${url}/versions`])
    expect(listed.map(({ version }: { version: number }) => version)).toEqual([4, 3, 2, 1])
    const old = await send(vault, ['GET', `${url}/versions/3`])
    expect([old.status, old.headers['etag'], old.json]).toEqual([200, '"3"', vault.item])
    const restore = (ifMatch: string) =>
      send(vault, ['POST', `${url}/versions/3/restore`], { ifMatch })
    expect((await restore('"3"')).status).toBe(412)
    const restored = await restore('"4"')
    expect([restored.status, restored.headers['etag'], restored.json.title]).toEqual([
      200,
      '"5"',
      vault.item.title,
    ])
  })

  it.each(['0', '01', '-1', '1.0', 'x', '1e1', '%31', '12345678901', '99'])(
    'responds with 404 to the version %s',
    async (version) => {
      const vault = await extendedVault()
      const url = itemUrl(vault, `/versions/${version}`)
      expect((await send(vault, ['GET', url])).status).toBe(404)
      expect((await send(vault, ['POST', `${url}/restore`])).status).toBe(404)
    },
  )
})

describe('createHttpHandler extensions: files', () => {
  it('attaches, reads and removes a file', async () => {
    const vault = await extendedVault()
    const attach = (ifMatch: string) =>
      vault.handler(
        createRequest(vault, 'POST', itemUrl(vault, '/files?name=n%C3%B6.txt'), {
          body: streamOf([utf8('hello')]),
          headers: { 'if-match': ifMatch },
        }),
      )
    expect((await attach('"2"')).status).toBe(412)
    const attached = await attach('"3"')
    const { id, name, content_path } = JSON.parse(String(attached.body))
    expect([attached.status, name, attached.headers['etag']]).toEqual([200, 'nö.txt', undefined])
    const content = await vault.handler(createRequest(vault, 'GET', content_path))
    expect(await readBytes(content.body as ReadableStream<Uint8Array>)).toEqual(utf8('hello'))
    const url = itemUrl(vault, `/files/${id}`)
    expect((await send(vault, ['DELETE', url], { ifMatch: '"3"' })).status).toBe(412)
    expect((await send(vault, ['DELETE', url], { ifMatch: '"4"' })).status).toBe(204)
    expect((await send(vault, ['GET', url])).status).toBe(404)
  })
})

describe('createHttpHandler extensions: pages', () => {
  /** Follows the links from `url` and returns the ids of each page. */
  async function walk(vault: TestVault, url: string): Promise<string[][]> {
    const pages: string[][] = []
    let next: string | undefined = url
    while (next !== undefined && pages.length < 50) {
      const { status, headers, json } = await send(vault, ['GET', next])
      expect(status).toBe(200)
      pages.push(json.map(({ id }: { id: string }) => id))
      const [, target] = /^<([^>]+)>; rel="next"$/.exec(headers['link'] ?? '') ?? []
      expect(target === undefined).toBe(headers['link'] === undefined)
      const base: string = `http://vault.example${next}`
      next = target && new URL(target, base).href.slice('http://vault.example'.length)
    }
    return pages
  }

  it.each([1, 3, 7, 8])('returns every item once in pages of %d', async (limit) => {
    const vault = await extendedVault()
    await createNotes(vault, Array(6).fill({ title: 'a & b' }))
    const { json: all } = await send(vault, ['GET', vaultUrl(vault, '/items')])
    const pages = await walk(vault, vaultUrl(vault, `/items?limit=${limit}`))
    expect(pages.flat()).toEqual(all.map(({ id }: { id: string }) => id))
    expect(pages.map(({ length }) => length).every((length) => length <= limit)).toBe(true)
  })

  it.each([
    encodeURIComponent('title eq "a & b+c"'),
    'title+eq+%22a+%26+b%2Bc%22',
    'title%20eq%20"a%20%26%20b+c"',
  ])('keeps the filter %s in the links', async (filter) => {
    const vault = await extendedVault()
    const wanted = await createNotes(vault, Array(5).fill({ title: 'a & b+c' }))
    const pages = await walk(vault, vaultUrl(vault, `/items/?filter=${filter}&limit=2`))
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(wanted.map(({ id }) => id).toSorted())
  })

  it('returns every vault once', async () => {
    const vault = await extendedVault()
    for (const name of 'abcd') await vault.service.createVault(vault.caller, { name })
    const pages = await walk(vault, '/v1/vaults?limit=2')
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
    expect(new Set(pages.flat()).size).toBe(5)
  })

  it.each(['limit=x', 'after=none'])('responds with 400 to %s', async (query) => {
    const vault = await extendedVault()
    for (const url of ['/v1/vaults', vaultUrl(vault, '/items')])
      expect((await send(vault, ['GET', `${url}?${query}`])).status).toBe(400)
  })
})
