import { afterEach, describe, expect, it, vi } from 'vitest'
import { createMemoryStore } from '../../src/storage/memory.js'
import { connectClient, contractClient, expectError } from './support/contract-client.js'

afterEach(() => {
  vi.restoreAllMocks()
})

const title = [{ op: 'add', path: '/title', value: 'x' }]
const ifMatch = (tag: string): { headers: Record<string, string> } => ({
  headers: { 'if-match': tag },
})

describe('decisions on conditions', () => {
  it('conditions-1 ETag is the version of an item, and the attributeVersion of a vault', async () => {
    const { send, item, vault, create, patch, replace } = await contractClient()
    const { version } = vault.item
    const etags = [
      await send('GET', item),
      await patch([]),
      await patch(title),
      await replace(),
      await create(),
      await send('GET', `/v1/vaults/${vault.vaultId}`),
    ].map(({ headers }) => headers['etag'])
    const versions = [version, version, version + 1, version + 2, 1, 1]
    expect(etags).toEqual(versions.map((number) => `"${number}"`))
  })

  it('conditions-2 If-Match and ifVersion make a change to that version only: 412', async () => {
    const client = await contractClient({ history: { maxVersions: 9 } }, { extensions: true })
    const { send, item, vault, patch, replace, read } = client
    const file = `${item}/files/${vault.smallFile.id}`
    const requests = [
      (tag: string) => replace({}, ifMatch(tag)),
      (tag: string) => patch(title, ifMatch(tag)),
      (tag: string) => patch([], ifMatch(tag)),
      (tag: string) => send('POST', `${item}/files?name=f`, { body: 'x', ...ifMatch(tag) }),
      (tag: string) => send('POST', `${item}/versions/1/restore`, ifMatch(tag)),
      (tag: string) => send('DELETE', file, ifMatch(tag)),
      (tag: string) => send('DELETE', item, ifMatch(tag)),
    ]
    const message = `item ${vault.item.id} is not at the expected version`
    for (const request of requests) {
      const { version } = await read()
      expectError(await request(`"${Number(version) + 1}"`), 412, message)
      expectError(await request(`"${Number(version) - 1}"`), 412, message)
      if (request !== requests[4]) expect((await request(`"${version}"`)).status).toBeLessThan(300)
      else expect((await request(`"${version}"`)).status).not.toBe(412)
    }
    const { service, caller, vaultId } = vault
    const stale = service.updateVault(caller, { vaultId, name: 'New', ifVersion: 2 })
    await expect(stale).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
    expect(await service.updateVault(caller, { vaultId, name: 'New', ifVersion: 1 })).toMatchObject(
      {
        attributeVersion: 2,
      },
    )
  })

  it('conditions-3 If-Match: * is any version', async () => {
    const { patch } = await contractClient()
    expect((await patch(title, ifMatch('*'))).status).toBe(200)
  })

  it('conditions-4 an unknown tag, also a weak one, is 412', async () => {
    const { patch, vault } = await contractClient()
    for (const tag of ['"x"', '""', '"0"', '"03"', `W/"${vault.item.version}"`, '"1e0"'])
      expect((await patch(title, ifMatch(tag))).status).toBe(412)
  })

  it('conditions-5 a list of tags and an invalid entity tag are 400', async () => {
    const { patch } = await contractClient()
    for (const tag of ['3', '"', '"3', '"1", "3"', 'w/"3"', ''])
      expectError(await patch(title, ifMatch(tag)), 400, 'If-Match must be one entity tag')
  })

  it('conditions-6 without If-Match the newest version is changed; 32 conflicts are 409', async () => {
    const memory = createMemoryStore()
    let [lost, wins] = [0, 0]
    const records: typeof memory.records = {
      ...memory.records,
      put: async (key, record, expected) => {
        if (wins >= lost || !key.collection.startsWith('items/'))
          return memory.records.put(key, record, expected)
        wins += 1
        return false
      },
    }
    const { patch } = await contractClient({ store: { ...memory, records } })
    vi.spyOn(Math, 'random').mockReturnValue(0)
    lost = 31
    expect((await patch(title)).status).toBe(200)
    ;[lost, wins] = [32, 0]
    const reply = await patch(title)
    expect([reply.status, reply.headers['retry-after'], wins]).toEqual([409, '1', 32])
    expect((await patch(title)).status).toBe(200)
  })
})

describe('decisions on HTTP', () => {
  it('http-1 paths start with /v1', async () => {
    const { send, item, file, vault } = await contractClient()
    expect(item).toMatch(/^\/v1\//)
    expect((await send('GET', item.slice(3))).status).toBe(404)
    const { json } = await file(vault.smallFile.id)
    expect(Object(json).content_path).toMatch(/^\/v1\//)
  })

  it('http-2 a trailing slash and a doubled slash at the start are the same path', async () => {
    const { send, item, items } = await contractClient()
    for (const path of [item, items, `${item}/files`]) {
      const plain = await send('GET', path)
      expect(plain.status).toBe(200)
      for (const spelling of [`${path}/`, `/${path}`, `/${path}/`])
        expect((await send('GET', spelling)).text).toBe(plain.text)
      for (const spelling of [`${path}//`, `//${path}`, path.replace('/items', '//items')])
        expect((await send('GET', spelling)).status).toBe(404)
    }
  })

  it('http-3 HEAD is GET without the body', async () => {
    const { send, item, vault } = await contractClient()
    for (const path of [item, vault.smallFile.content_path, `${item}x`]) {
      const [get, header] = [await send('GET', path), await send('HEAD', path)]
      expect([header.status, header.text]).toEqual([get.status, ''])
      expect(header.headers).toMatchObject({
        'content-type': get.headers['content-type'],
        'content-length': String(new TextEncoder().encode(get.text).length),
      })
    }
  })

  it('http-4 inline_files is true or false, once', async () => {
    const { file, vault } = await contractClient()
    const { id } = vault.smallFile
    expect((await file(id, '?inline_files=true')).json).toHaveProperty('content')
    expect((await file(id, '?inline_files=false')).json).not.toHaveProperty('content')
    const twice = '?inline_files=true&inline_files=true'
    for (const query of ['?inline_files=yes', '?inline_files=', twice])
      expectError(await file(id, query), 400, /^inline_files must/)
  })

  it('http-5 a filter compares titles, tags and other attributes, in both dialects; else 400', async () => {
    for (const client of [await contractClient(), await connectClient()]) {
      const { send, items, vault } = client
      const filtered = async (filter: string, path = items): Promise<unknown> => {
        const { status, json } = await send('GET', `${path}?filter=${encodeURIComponent(filter)}`)
        return status === 200 ? Object(json).length : status
      }
      expect(await filtered('title eq "Example"')).toBe(1)
      expect(await filtered('title eq "example"')).toBe(0)
      expect(await filtered('title co "amp"')).toBe(1)
      expect(await filtered('tag eq "work" and (title eq "x" or tag co "ai")')).toBe(1)
      expect(await filtered('title ne "x" and not (createdAt lt "2020-01-01")')).toBe(1)
      expect(await filtered(`title eq "${vault.item.id}"`)).toBe(1)
      expect(await filtered('')).toBe(1)
      for (const name of ['name', 'title'])
        expect(await filtered(`${name} eq "Test"`, '/v1/vaults')).toBe(1)
      const unreadable = [
        'title',
        'title eq Example',
        'id eq "x"',
        'fields.value pr',
        '(tag eq "a"',
      ]
      for (const filter of unreadable) expect(await filtered(filter)).toBe(400)
      expect(vault.item.title).toBe('Example')
    }
  })

  it('http-6 other parameters are ignored, but one with a quote beside a filter is 400', async () => {
    const { send, items, file, vault } = await contractClient()
    expect((await send('GET', `${items}?limit=0&x=y`)).status).toBe(200)
    expect((await file(vault.smallFile.id, '?x=1&x=2')).status).toBe(200)
    const filter = 'filter=title+eq+%22R'
    expect((await send('GET', `${items}?${filter}%22&D%22=`)).status).toBe(400)
    expect((await send('GET', `${items}?${filter}%26D%22`)).status).toBe(200)
  })

  it('http-7 escapes that are not UTF-8 in a known parameter are 400', async () => {
    const { send, items } = await contractClient()
    const reply = await send('GET', `${items}?filter=title+eq+%22%ff%22`)
    expectError(reply, 400, 'filter must be UTF-8')
    expect((await send('GET', `${items}?x=%ff`)).status).toBe(200)
  })

  it('http-8 a body is application/json, application/json-patch+json or untyped, in UTF-8, not compressed', async () => {
    const { patch } = await contractClient()
    const json = [
      'application/json',
      'application/json-patch+json',
      'Application/JSON;charset=UTF-8',
    ]
    for (const type of json)
      expect((await patch([], { headers: { 'content-type': type } })).status).toBe(200)
    const others = ['text/plain', 'application/xml', 'application/json; charset=latin1', '']
    for (const type of others)
      expect((await patch([], { headers: { 'content-type': type } })).status).toBe(415)
    const gzip = { 'content-encoding': 'gzip' }
    expect((await patch([], { headers: gzip })).status).toBe(415)
  })

  it('http-9 the last of two equal names in an object counts', async () => {
    const { patch } = await contractClient()
    const body = '[{"op":"add","path":"/title","value":"first","value":"last"}]'
    expect((await patch([], { body })).json).toMatchObject({ title: 'last' })
  })
})
