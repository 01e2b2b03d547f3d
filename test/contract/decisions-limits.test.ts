import { describe, expect, it } from 'vitest'
import { createMemoryActivityLog } from '../../src/activity.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { createRequest, parseResponse } from '../support/http/requests.js'
import {
  contractClient,
  expectAccepted,
  expectError,
  expectRejected,
} from './support/contract-client.js'

const many = <Element>(count: number, element: (index: number) => Element): Element[] =>
  Array.from({ length: count }, (_, index) => element(index))
const depth = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

describe('decisions on limits', () => {
  it('limits-1 1,000 fields, and 100 sections, urls and tags', async () => {
    const client = await contractClient()
    const lists = {
      fields: [1000, (index: number) => ({ id: `${index}`, type: 'STRING' })],
      sections: [100, (index: number) => ({ id: `${index}` })],
      urls: [100, () => ({ href: 'https://a.example' })],
      tags: [100, (index: number) => `${index}`],
    } as const
    for (const [name, [limit, element]] of Object.entries(lists)) {
      await expectAccepted(client, { [name]: many<unknown>(limit, element) })
      const message = new RegExp(`(?:^|: )${name} must be at most ${limit} elements long$`)
      await expectRejected(client, message, { [name]: many<unknown>(limit + 1, element) })
    }
    const small = await contractClient({ limits: { fields: 3, sections: 1, urls: 1, tags: 2 } })
    await expectRejected(small, /tags must be at most 2 elements long$/, { tags: ['a', 'b', 'c'] })
  })

  it('limits-2 a string has 65,536 bytes of UTF-8', async () => {
    const client = await contractClient()
    const message = 'title must be at most 65536 bytes long'
    await expectAccepted(client, { title: 'é'.repeat(32_768) }, { title: 'a'.repeat(65_536) })
    await expectRejected(client, message, { title: `${'é'.repeat(32_768)}a` })
    const field = { id: 'f', type: 'STRING', value: 'a'.repeat(65_537) }
    await expectRejected(client, /^fields\/0\/value must be at most 65536/, { fields: [field] })
    const small = await contractClient({ limits: { stringBytes: 30 } })
    await expectRejected(small, 'title must be at most 30 bytes long', { title: 'a'.repeat(31) })
  })

  it('limits-3 a patch has 256 operations', async () => {
    const { patch } = await contractClient()
    const operation = (index: number) => ({ op: 'replace', path: '/title', value: `${index}` })
    expect((await patch(many(256, operation))).json).toMatchObject({ title: '255' })
    expectError(await patch(many(257, operation)), 400, 'patch must be at most 256 elements long')
    const small = await contractClient({ limits: { patchOperations: 1 } })
    expect((await small.patch(many(2, operation))).status).toBe(400)
  })

  it('limits-4 the value of a patch operation has 32 levels', async () => {
    const { vault } = await contractClient()
    const { service, caller, vaultId, item } = vault
    const patched = (levels: number) => {
      const patch = [{ op: 'add', path: '/title', value: depth(levels) }] as const
      return service.patchItem(caller, { vaultId, itemId: item.id, patch })
    }
    const message = /must not have a value of more than 32 levels/
    await expect(patched(33)).rejects.toThrow(message)
    await expect(patched(32)).rejects.toThrow('title must be a string')
    const small = await contractClient({ limits: { depth: 2 } })
    const operation = { op: 'add', path: '/title', value: depth(3) }
    expectError(await small.patch([operation]), 400, /more than 2 levels/)
  })

  it('limits-5 files of 100 KB are inlined', async () => {
    const client = await contractClient({ maxInlineFileSizeKb: 100 })
    const { service, caller, vaultId, item } = client.vault
    for (const [size, status] of [
      [102_400, 200],
      [102_401, 413],
    ] as const) {
      const ref = { vaultId, itemId: item.id, name: 'f' }
      const { id } = await service.attachFile(caller, { ...ref, content: new Uint8Array(size) })
      expect((await client.file(id, '?inline_files=true')).status).toBe(status)
    }
  })

  it('limits-6 a body has 1,048,576 bytes: 413', async () => {
    const { patch } = await contractClient()
    expect((await patch([], { body: `[]${' '.repeat(1_048_574)}` })).status).toBe(200)
    expect((await patch([], { body: `[]${' '.repeat(1_048_575)}` })).status).toBe(413)
    const small = await contractClient({}, { maxBodyBytes: 2 })
    const statuses = [await small.patch([]), await small.patch([], { body: '[] ' })]
    expect(statuses.map(({ status }) => status)).toEqual([200, 413])
  })

  it('limits-7 a body has 32 levels', async () => {
    const { patch } = await contractClient()
    const message = 'the body must not have more than 32 levels'
    expectError(await patch(depth(33)), 400, message)
    expectError(await patch(depth(32)), 400, 'operation 0: 0 must be an object')
    const small = await contractClient({}, { maxBodyDepth: 2 })
    expect((await small.patch([{ op: 'add', path: '/tags', value: [] }])).status).toBe(400)
  })

  it('limits-8 a body of more than 65,536 bytes has 32,768 members and elements', async () => {
    const { patch } = await contractClient()
    const list = (count: number): string => `[${many(count, () => '0').join()}]  `
    const [allowed, beyond] = [list(32_768), list(32_769)]
    expect(allowed.length).toBeGreaterThan(65_536)
    expectError(await patch([], { body: allowed }), 400, 'patch must be at most 256 elements long')
    expectError(await patch([], { body: beyond }), 400, /^the body must not have more than 32768 /)
  })

  it('limits-9 a body arrives within 30 seconds: 408', async () => {
    const { vault, item } = await contractClient({}, { bodyTimeoutMs: 20 })
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(utf8('[')),
    })
    const reply = parseResponse(await vault.handler(createRequest(vault, 'PATCH', item, { body })))
    expect(reply).toMatchObject({ status: 408, body: { status: 408 } })
    const whole = createRequest(vault, 'PATCH', item, { body: streamOf([utf8('['), utf8(']')]) })
    expect(parseResponse(await vault.handler(whole)).status).toBe(200)
  })

  it('limits-10 an uploaded file has 104,857,600 bytes: 413', async () => {
    const { send, item } = await contractClient({}, { extensions: true, maxFileBytes: 3 })
    const path = `${item}/files?name=f`
    expect((await send('POST', path, { body: 'abc' })).status).toBe(200)
    expect((await send('POST', path, { body: 'abcd' })).status).toBe(413)
    const usual = await contractClient({}, { extensions: true })
    const announced = { body: 'x', headers: { 'content-length': '104857601' } }
    expect((await usual.send('POST', `${usual.item}/files?name=f`, announced)).status).toBe(413)
  })

  it('limits-11 the limit of a list is 1 to 1,000; without it the list is unlimited', async () => {
    const { send, items, create } = await contractClient({}, { extensions: true })
    await create()
    const statuses = [1, 1000, 0, 1001].map(async (limit) => {
      const { status } = await send('GET', `${items}?limit=${limit}`)
      return status
    })
    expect(await Promise.all(statuses)).toEqual([200, 200, 400, 400])
    expect((await send('GET', `${items}?limit=1`)).json).toHaveLength(1)
    expect((await send('GET', items)).json).toHaveLength(2)
  })

  it('limits-12 the limit of the activity log is 1 to 1,000, and 50 by default', async () => {
    const { send, item } = await contractClient({ activity: createMemoryActivityLog() })
    for (let count = 0; count < 60; count++) await send('GET', item)
    expect((await send('GET', '/v1/activity')).json).toHaveLength(50)
    expect((await send('GET', '/v1/activity?limit=1')).json).toHaveLength(1)
    const statuses = [1000, 0, 1001].map(async (limit) => {
      const { status } = await send('GET', `/v1/activity?limit=${limit}`)
      return status
    })
    expect(await Promise.all(statuses)).toEqual([200, 400, 400])
  })

  it('limits-13 a filter has 4,096 characters, 64 comparisons and 32 levels of parentheses', async () => {
    const { send, items } = await contractClient()
    const status = async (filter: string): Promise<number> =>
      (await send('GET', `${items}?filter=${encodeURIComponent(filter)}`)).status
    const term = 'tag eq "a"'
    const padded = (length: number): string => term.padEnd(length)
    expect([await status(padded(4096)), await status(padded(4097))]).toEqual([200, 400])
    const joined = (count: number): string => many(count, () => term).join(' or ')
    expect([await status(joined(64)), await status(joined(65))]).toEqual([200, 400])
    const nested = (count: number): string => `${'('.repeat(count)}${term}${')'.repeat(count)}`
    expect([await status(nested(32)), await status(nested(33))]).toEqual([200, 400])
  })

  it('limits-14 each limit is an option; a value that is not a whole number is a RangeError', async () => {
    await expect(contractClient({ limits: { fields: -1 } })).rejects.toThrow(RangeError)
    await expect(contractClient({ limits: { tags: 1.5 } })).rejects.toThrow(RangeError)
    await expect(contractClient({ maxInlineFileSizeKb: -1 })).rejects.toThrow(RangeError)
    for (const maxBodyBytes of [-1, 1.5, Number.POSITIVE_INFINITY])
      await expect(contractClient({}, { maxBodyBytes })).rejects.toThrow(RangeError)
  })

  it('limits-15 an item has 100 files', async () => {
    const { vault } = await contractClient({ limits: { files: 3 } })
    const { service, caller, vaultId, item } = vault
    const attach = (name: string) =>
      service.attachFile(caller, { vaultId, itemId: item.id, name, content: new Uint8Array(1) })
    expect(await attach('third')).toMatchObject({ name: 'third' })
    await expect(attach('fourth')).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    const usual = await contractClient()
    const ref = { vaultId: usual.vault.vaultId, itemId: usual.vault.item.id, name: 'f' }
    const content = new Uint8Array(1)
    for (let count = 2; count < 100; count++)
      await usual.vault.service.attachFile(usual.vault.caller, { ...ref, content })
    const beyond = usual.vault.service.attachFile(usual.vault.caller, { ...ref, content })
    await expect(beyond).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('limits-16 the name of a file has 255 characters', async () => {
    const { vault } = await contractClient()
    const { service, caller, vaultId, item } = vault
    const attach = (name: string) =>
      service.attachFile(caller, { vaultId, itemId: item.id, name, content: new Uint8Array(1) })
    expect(await attach('🔑'.repeat(255))).toMatchObject({ size: 1 })
    await expect(attach('a'.repeat(256))).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('limits-17 an item has 2,097,152 bytes as JSON', async () => {
    const { create, patch } = await contractClient({ limits: { itemBytes: 2000 } })
    expect((await create({ title: 'a'.repeat(1000) })).status).toBe(200)
    expect((await create({ title: 'a'.repeat(2000) })).status).toBe(400)
    const operation = { op: 'add', path: '/tags/-', value: 'a'.repeat(900) }
    expect((await patch([operation, operation])).status).toBe(400)
    const usual = await contractClient()
    const operations = many(31, () => ({ ...operation, value: 'a'.repeat(32_000) }))
    const statuses = [await usual.patch(operations), await usual.patch(operations)]
    expect(statuses.map(({ status }) => status)).toEqual([200, 200])
    expect((await usual.patch(operations)).status).toBe(400)
  })

  it('limits-18 a list of files inlines 4,194,304 bytes', async () => {
    const { send, item, vault } = await contractClient({ limits: { inlinedBytes: 9 } })
    const { service, caller, vaultId } = vault
    const ref = { vaultId, itemId: vault.item.id, name: 'f' }
    for (const size of [5, 4])
      await service.attachFile(caller, { ...ref, content: new Uint8Array(size) })
    const { json } = await send('GET', `${item}/files?inline_files=true`)
    const inlined = Object(json).map((file: object) => 'content' in file)
    expect(inlined).toEqual([true, false, false, true])
  })

  it('limits-19 getItems reads up to 16,777,216 bytes', async () => {
    const { send, vault } = await contractClient(
      { limits: { getItemsBytes: 2000 } },
      { extensions: true },
    )
    const { service, caller, vaultId } = vault
    const item = { category: 'LOGIN', vault: { id: vaultId }, title: 'a'.repeat(1500) } as const
    const one = await service.createItem(caller, { vaultId, item })
    const two = await service.createItem(caller, { vaultId, item })
    const getItems = (itemIds: string[]) =>
      send('POST', `/v1/vaults/${vaultId}/get-items`, { body: { itemIds } })
    expect((await getItems([one.id])).status).toBe(200)
    const sentence = 'the items are too large for one response: request fewer items'
    expectError(await getItems([one.id, two.id]), 413, sentence)
  })

  it('limits-20 an upload has 1,024 bytes per second: 408', async () => {
    const upload = async (options: object, count = 3): Promise<number> => {
      const { vault, item } = await contractClient({}, { extensions: true, ...options })
      const pieces = Array.from({ length: count }, () => utf8('a'))
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 5))
          const piece = pieces.shift()
          if (piece) controller.enqueue(piece)
          else controller.close()
        },
      })
      const path = `${item}/files?name=f`
      const response = await vault.handler(createRequest(vault, 'POST', path, { body }))
      return response.status
    }
    expect(await upload({})).toBe(200)
    expect(await upload({ minUploadRate: 0 })).toBe(200)
    // The time is only compared once it is longer than `bodyTimeoutMs`.
    expect(await upload({ minUploadRate: 1e9 })).toBe(200)
    expect(await upload({ minUploadRate: 1e9, bodyTimeoutMs: 100 }, 40)).toBe(408)
  })

  it('limits-21 a body arrives in 16,384 chunks, or in chunks of 64 bytes: 400', async () => {
    const { vault, item } = await contractClient()
    const patch = async (count: number, bytes: number): Promise<unknown> => {
      const blanks = many(count, () => utf8(' '.repeat(bytes)))
      const body = streamOf([utf8('['), ...blanks, utf8(']')])
      return parseResponse(await vault.handler(createRequest(vault, 'PATCH', item, { body })))
    }
    expect(await patch(16_380, 1)).toMatchObject({ status: 200 })
    expect(await patch(16_380, 64)).toMatchObject({ status: 200 })
    const message = 'the body must arrive in chunks of 64 bytes or more'
    expect(await patch(20_000, 1)).toEqual({ status: 400, body: { status: 400, message } })
  })

  it('limits-22 a query has 100 parameters: 400', async () => {
    const { send, items, item } = await contractClient()
    const query = (count: number): string => many(count, (index) => `a${index}=%ff`).join('&')
    expect((await send('GET', `${items}?${query(100)}`)).status).toBe(200)
    const message = 'the query must not have more than 100 parameters'
    expectError(await send('GET', `${items}?${query(101)}`), 400, message)
    expect((await send('GET', `${item}?${query(101)}`)).status).toBe(200)
  })

  it('limits-23 a word of a filter has 250 characters: 400', async () => {
    const { send, items, vault } = await contractClient()
    const list = (length: number, comparison = 'title co', path = items) =>
      send('GET', `${path}?filter=${encodeURIComponent(`${comparison} "${'a'.repeat(length)}"`)}`)
    const message = /filter must have words of at most 250 characters/
    for (const comparison of ['title co', 'title eq', 'tag eq']) {
      expect((await list(250, comparison)).status).toBe(200)
      expectError(await list(251, comparison), 400, message)
    }
    expectError(await list(251, 'name co', '/v1/vaults'), 400, message)
    const { service, caller, vaultId } = vault
    const filter = `tag eq "a" or title co "${'a'.repeat(251)}"`
    await expect(service.listItems(caller, { vaultId, filter })).rejects.toThrow(message)
    const small = await contractClient({ limits: { filterWordCharacters: 3 } })
    const short = (word: string) => small.send('GET', `${small.items}?filter=tag+eq+%22${word}%22`)
    expect((await short('abc')).status).toBe(200)
    expect((await short('abcd')).status).toBe(400)
    const large = await contractClient({ limits: { filterWordCharacters: 4000 } })
    const long = `${large.items}?filter=tag+eq+%22${'a'.repeat(4000)}%22`
    expect((await large.send('GET', long)).status).toBe(200)
  })
})
