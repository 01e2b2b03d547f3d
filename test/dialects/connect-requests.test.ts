import { describe, expect, it } from 'vitest'
import {
  createDialectClient,
  type DialectClient,
  type Reply,
} from '../support/http/dialect-client.js'

const newId = expect.stringMatching(/^[0189][a-z2-7]{25}$/)
const generatedValue = expect.stringMatching(/^[A-Za-z0-9!@.\-_*]{32}$/)
const other = 'o'.repeat(26)

/** The response to POST of a server with these attributes. */
async function postItem(body: object, dialect: 'connect' | 'contract' = 'connect'): Promise<Reply> {
  const client = await createDialectClient(dialect)
  return client.send('POST', client.items, { category: 'SERVER', title: 'Mail', ...body })
}

/** The status and the message of an error response. */
function errorOf({ status, json }: Reply): readonly [number, unknown] {
  return [status, Reflect.get(Object(json), 'message')]
}

/** The stored item, read with GET. */
async function readItem({ send, item }: DialectClient): Promise<object> {
  return Object((await send('GET', item)).json)
}

describe('connectDialect over HTTP', () => {
  describe('POST of an item', () => {
    it.each([undefined, {}, '', { id: '' }, null])('accepts the vault %j', async (vault) => {
      const { status, json } = await postItem({ vault })
      expect([status, json]).toMatchObject([200, { vault: { id: newId }, version: 1 }])
    })

    it('rejects another vault', async () => {
      expect(errorOf(await postItem({ vault: { id: other } }))).toEqual([
        400,
        'vault/id must be the vault of the operation (vaultId)',
      ])
    })

    it('sets missing ids and types of fields', async () => {
      const fields = [
        { purpose: 'USERNAME', value: 'wendy' },
        { id: '', type: '', purpose: 'PASSWORD', value: 'correct horse' },
        { id: null, type: null, purpose: 'NOTES', value: 'a note' },
        { label: 'pin', value: '1234' },
        { id: '', label: 'puk', type: 'CONCEALED', purpose: '', value: '5678' },
      ]
      const { status, json } = await postItem({ fields })
      expect([status, json]).toMatchObject([
        200,
        {
          fields: [
            { id: 'username', type: 'STRING', label: 'username', value: 'wendy' },
            { id: 'password', type: 'CONCEALED', label: 'password', value: 'correct horse' },
            { id: 'notesPlain', type: 'STRING', label: 'notesPlain', value: 'a note' },
            { id: newId, type: 'STRING', label: 'pin', value: '1234' },
            { id: newId, type: 'CONCEALED', label: 'puk', purpose: '', value: '5678' },
          ],
        },
      ])
    })

    it('sets another id for a password when a field has the id password', async () => {
      const fields = [
        { purpose: 'PASSWORD', value: 'x' },
        { id: 'password', type: 'STRING', value: 'y' },
      ]
      expect((await postItem({ fields })).json).toMatchObject({
        fields: [{ id: newId, purpose: 'PASSWORD' }, { id: 'password' }],
      })
    })

    it('treats null as absent', async () => {
      const nothing = { label: null, section: null, recipe: null, generate: null, purpose: null }
      const { status, json } = await postItem({
        vault: null,
        id: null,
        favorite: null,
        tags: null,
        urls: [{ href: 'https://a.example', label: null, primary: null }],
        sections: [{ id: 's', label: null }],
        fields: [
          { id: 'f', type: 'STRING', value: null, ...nothing },
          { id: 'g', type: 'STRING', section: { id: null }, value: null, generate: true },
        ],
        files: null,
        state: null,
      })
      expect([status, json]).toMatchObject([200, { favorite: false, tags: [], files: [] }])
      expect(json).toHaveProperty('urls', [{ href: 'https://a.example' }])
      expect(json).toHaveProperty('sections', [{ id: 's' }])
      expect(json).toHaveProperty('fields', [
        { id: 'f', type: 'STRING' },
        { id: 'g', type: 'STRING', section: {}, value: generatedValue },
      ])
      expect(await postItem({ title: null })).not.toHaveProperty('json.title')
    })

    it('generates 32 characters for a recipe of length 0', async () => {
      const recipe = { length: 0, characterSets: ['letters', 'DIGITS', 'Symbols'] }
      const fields = [{ type: 'concealed', purpose: 'password', generate: true, recipe }]
      expect((await postItem({ fields })).json).toHaveProperty('fields', [
        {
          id: 'password',
          type: 'CONCEALED',
          label: 'password',
          value: generatedValue,
          purpose: 'PASSWORD',
          entropy: expect.closeTo(194.712_609_883_9, 9),
        },
      ])
    })

    it('accepts names in any case and returns the canonical ones', async () => {
      const fields = [
        { id: 'a', type: 'string', purpose: 'username' },
        { id: 'b', type: 'Month_Year', value: '202612' },
        { id: 'c', type: 'email', purpose: 'Notes' },
      ]
      expect((await postItem({ category: 'server', fields })).json).toMatchObject({
        category: 'SERVER',
        fields: [
          { type: 'STRING', purpose: 'USERNAME' },
          { type: 'MONTH_YEAR' },
          { type: 'EMAIL', purpose: 'NOTES' },
        ],
      })
    })

    it.each([
      ...['OTP', 'PHONE', 'ADDRESS', 'REFERENCE', 'CREDIT_CARD_NUMBER', 'CREDIT_CARD_TYPE'],
      ...['GENDER', 'FILE', 'SSHKEY', 'UNKNOWN'],
    ])('keeps a field of the type %s', async (type) => {
      const client = await createDialectClient('connect')
      const fields = [{ id: 'f', type, value: 'x' }]
      const reply = await client.send('POST', client.items, { category: 'SERVER', fields })
      expect([reply.status, reply.json]).toMatchObject([200, { fields }])
      const path = `${client.items}/${Reflect.get(Object(reply.json), 'id')}`
      expect((await client.send('GET', path)).json).toMatchObject({ fields })
    })

    it('accepts a URL with an empty href', async () => {
      const urls = [{ primary: true, href: '' }]
      expect((await postItem({ urls })).json).toHaveProperty('urls', [{ href: '', primary: true }])
    })

    it.each([
      [{ urls: [{ href: 'javascript:x' }] }, 'urls/0/href must not be a javascript: or data: URL'],
      [{ urls: [{ href: 'data:,x' }] }, 'urls/0/href must not be a javascript: or data: URL'],
      [
        {
          urls: [
            { href: '', primary: true },
            { href: 'a', primary: true },
          ],
        },
        'urls/1/primary must be true for one URL only',
      ],
      [
        { fields: [{ type: 'date', value: '2026-02-30' }] },
        'fields/0/value must be a day as YYYY-MM-DD or whole seconds',
      ],
      [
        { fields: [{ type: 'month_year', value: '2026-13' }] },
        'fields/0/value must be a month as YYYYMM, YYYY/MM or YYYY-MM',
      ],
      [{ fields: [{ type: '1st' }] }, 'fields/0/type has an invalid format'],
      [{ category: 'nonsense' }, 'Invalid item category'],
      [
        { fields: [{ purpose: 'NOTES' }, { purpose: 'notes' }] },
        'fields/1/purpose must not be the purpose of another field',
      ],
    ])('rejects %j', async (changes, message) => {
      expect(errorOf(await postItem(changes))).toEqual([400, message])
    })

    it('adds sections that only fields name', async () => {
      const fields = [{ value: 'x', section: { id: 'new', label: 'ignored' } }]
      expect((await postItem({ sections: [{ label: 'Mine' }], fields })).json).toMatchObject({
        sections: [
          { id: newId, label: 'Mine' },
          { id: 'new', label: '' },
        ],
        fields: [{ section: { id: 'new' } }],
      })
    })
  })

  describe('PUT of an item', () => {
    it('returns the version before the change and the ETag of the version after it', async () => {
      const client = await createDialectClient('connect')
      const { version } = client.vault.item
      const reply = await client.send('PUT', client.item, await readItem(client))
      expect([reply.status, reply.json]).toMatchObject([200, { version }])
      expect(reply.headers.get('etag')).toBe(`"${version + 1}"`)
      expect(await readItem(client)).toMatchObject({ version: version + 1 })
    })

    it('accepts null and missing attributes like POST', async () => {
      const client = await createDialectClient('connect')
      const body = { category: 'server', vault: {}, id: '', title: null, fields: [{ value: 'x' }] }
      const reply = await client.send('PUT', client.item, body)
      expect(reply.status).toBe(200)
      expect(reply.json).not.toHaveProperty('title')
      expect(reply.json).toMatchObject({ fields: [{ id: newId, type: 'STRING', value: 'x' }] })
    })

    it('keeps a field that is sent as a reference', async () => {
      const client = await createDialectClient('connect')
      const fields = [{ id: 'pin', type: '', label: null, value: null }]
      const body = { category: 'SERVER', sections: [{ id: 'more' }], fields }
      expect((await client.send('PUT', client.item, body)).json).toMatchObject({
        fields: [{ id: 'pin', value: '1234', section: { id: 'more' } }],
      })
      const unknown = { category: 'SERVER', fields: [{ id: 'lost', type: null }] }
      expect(errorOf(await client.send('PUT', client.item, unknown))).toEqual([
        400,
        "The item doesn't have a lost field.",
      ])
    })
  })

  describe('PATCH of an item', () => {
    async function patchItem(...patch: readonly object[]): Promise<unknown> {
      const client = await createDialectClient('connect')
      const { status, json } = await client.send('PATCH', client.item, patch)
      expect(status).toBe(200)
      expect(await readItem(client)).toEqual(json)
      return json
    }

    it('accepts op in any case', async () => {
      expect(
        await patchItem(
          { op: 'Replace', path: '/title', value: 'New' },
          { op: 'REMOVE', path: '/tags/0' },
          { op: 'aDD', path: '/tags/-', value: 'x' },
        ),
      ).toMatchObject({ title: 'New', tags: ['mail', 'x'] })
    })

    it('accepts names in any case and null as absent', async () => {
      const item = await patchItem(
        { op: 'replace', path: '/fields/pin', value: { type: 'concealed', value: null } },
        { op: 'replace', path: '/title', value: null },
        { op: 'replace', path: '/fields/username/type', value: 'email' },
        { op: 'replace', path: '/urls/0/label', value: null },
      )
      expect(item).not.toHaveProperty('title')
      expect(item).toMatchObject({ fields: [{ type: 'EMAIL' }, {}, { id: 'pin' }, {}] })
      expect(item).toHaveProperty('fields.2', { id: 'pin', type: 'CONCEALED' })
      expect(item).toHaveProperty('urls', [{ href: 'https://example.com/login', primary: true }])
    })

    it('adds a field without an id in a new section', async () => {
      const value = { id: '', label: 'puk', type: 'phone', section: { id: 'new' } }
      expect(await patchItem({ op: 'add', path: '/fields', value })).toMatchObject({
        sections: [{ id: 'more' }, { id: 'new', label: '' }],
        fields: [{}, {}, {}, {}, { id: newId, label: 'puk', type: 'PHONE' }],
      })
    })

    it.each<[{ readonly op: string; readonly path: string; readonly value?: unknown }]>([
      [{ op: 'remove', path: '/sections/1' }],
      [{ op: 'remove', path: '/sections' }],
      [{ op: 'replace', path: '/sections', value: [{ id: 'a', label: 'A' }, { id: 'c' }] }],
    ])('keeps a section with a field in it, at its place, after %j', async (operation) => {
      const { send, item } = await createDialectClient('connect')
      const ids = ['a', 'b', 'c']
      const sections = ids.map((id) => ({ id, label: id.toUpperCase() }))
      const fields = ids.map((id) => ({ id, value: id, section: { id } }))
      await send('PUT', item, { category: 'SERVER', sections, fields })
      expect((await send('PATCH', item, [operation])).json).toMatchObject({
        sections: sections.map(({ id, label }) =>
          operation.value && id === 'c' ? { id } : { id, label },
        ),
      })
    })

    it('removes a section together with the last field in it', async () => {
      const { send, item } = await createDialectClient('connect')
      const sections = [{ id: 'a', label: 'A' }]
      const fields = [{ id: 'f', value: 'x', section: { id: 'a' } }]
      await send('PUT', item, { category: 'SERVER', sections, fields })
      const patch = [
        { op: 'remove', path: '/sections/0' },
        { op: 'remove', path: '/fields/f' },
      ]
      expect((await send('PATCH', item, patch)).json).toMatchObject({ sections: [] })
    })

    it('adds the sections of a whole item with an empty label, like PUT', async () => {
      const { send, item } = await createDialectClient('connect')
      const fields = [{ id: 'f', value: 'x', section: { id: 'a' } }]
      const sections = [{ id: 'a', label: 'A' }]
      await send('PUT', item, { category: 'SERVER', sections, fields })
      const patch = [{ op: 'replace', path: '', value: { category: 'SERVER', fields } }]
      expect((await send('PATCH', item, patch)).json).toMatchObject({
        sections: [{ id: 'a', label: '' }],
      })
    })

    it.each(['', '/'])('replaces the whole item like PUT at the path %j', async (path) => {
      const value = { category: 'server', title: null, fields: [{ id: 'pin', label: null }, {}] }
      const item = await patchItem({ op: 'replace', path, value })
      expect(item).not.toHaveProperty('title')
      expect(item).toMatchObject({ fields: [{ id: 'pin', value: '1234' }, { id: newId }] })
    })

    it('changes a field of a type beyond the contract', async () => {
      const client = await createDialectClient('connect')
      const fields = [{ id: 'tel', type: 'PHONE', value: '1' }]
      await client.send('PUT', client.item, { category: 'SERVER', fields })
      const patch = [{ op: 'replace', path: '/fields/tel/value', value: '2' }]
      expect((await client.send('PATCH', client.item, patch)).json).toMatchObject({
        fields: [{ id: 'tel', type: 'PHONE', value: '2' }],
      })
    })
  })

  describe('a one-time code of a field', () => {
    const url = 'otpauth://totp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    const fields = [
      { id: 'code', type: 'OTP', value: url },
      { id: 'bad', type: 'OTP', value: 'otpauth://totp/a?secret=!' },
      { id: 'url', type: 'URL', value: url },
    ]

    /** The `totp` of each field in the response. */
    function codesIn({ json }: Reply): unknown[] {
      const [...all] = Reflect.get(Object(json), 'fields')
      return all.map((field: object) => Reflect.get(field, 'totp'))
    }

    it('is returned in every response and changes with the clock', async () => {
      const { vault, send, item } = await createDialectClient('connect')
      const put = await send('PUT', item, { category: 'SERVER', fields })
      const codes = codesIn(put)
      expect(codes).toEqual([expect.stringMatching(/^\d{6}$/), undefined, undefined])
      vault.clock.advance(29_999)
      expect(codesIn(await send('GET', item))).toEqual(codes)
      vault.clock.advance(1)
      const [next, ...rest] = codesIn(await send('GET', item))
      expect([next, rest]).toEqual([expect.stringMatching(/^\d{6}$/), [undefined, undefined]])
      expect(next).not.toBe(codes[0])
      expect(codesIn(await send('PATCH', item, []))).toEqual([next, ...rest])
    })

    it('is not stored when it is sent back', async () => {
      const client = await createDialectClient('connect')
      const reply = await client.send('PUT', client.item, { category: 'SERVER', fields })
      await client.send('PUT', client.item, reply.json)
      const { service, caller, vaultId, item } = client.vault
      expect(await service.getItem(caller, { vaultId, itemId: item.id })).toMatchObject({ fields })
      expect(
        JSON.stringify(await service.getItem(caller, { vaultId, itemId: item.id })),
      ).not.toContain('"totp"')
    })

    it('is not returned in the contract dialect', async () => {
      const { send, item, vault } = await createDialectClient('contract')
      const body = {
        category: 'SERVER',
        vault: { id: vault.vaultId },
        fields: [{ id: 'code', type: 'TOTP', value: url }],
      }
      for (const reply of [await send('PUT', item, body), await send('GET', item)]) {
        expect(reply.json).toHaveProperty('fields', [{ id: 'code', type: 'TOTP', value: url }])
      }
    })
  })

  describe('the header 1Password-Connect-Version', () => {
    it('is sent with every response, so that clients request files', async () => {
      const { send, item, items, vault } = await createDialectClient('connect')
      const file = `${item}/files/${vault.smallFile.id}`
      const replies = [
        await send('GET', item),
        await send('GET', '/v1/vaults'),
        await send('GET', `${file}/content`),
        await send('GET', `${items}/${other}`),
        await send('GET', '/v1/nothing'),
        await send('GET', item, undefined, { headers: { authorization: 'Bearer wrong' } }),
        await send('GET', '/heartbeat'),
        await send('POST', items, '{'),
        await send('DELETE', item),
      ]
      expect(replies.map(({ status }) => status)).toEqual([
        200, 200, 200, 404, 404, 401, 200, 400, 204,
      ])
      for (const { headers } of replies)
        expect(headers.get('1Password-Connect-Version')).toMatch(/^1\.([3-9]|\d\d)\.\d+$/)
    })

    it('is not sent in the contract dialect', async () => {
      const { send, item } = await createDialectClient('contract')
      expect((await send('GET', item)).headers.has('1Password-Connect-Version')).toBe(false)
    })
  })

  describe('POST in the contract dialect', () => {
    it.each([
      [{ vault: {} }, 'vault/id must be a string'],
      [{ fields: [{ value: 'x' }] }, 'fields/0/id must be a string'],
      [{ title: null }, 'title must be a string'],
      [{ category: 'login' }, 'Invalid item category'],
      [{ urls: [{ primary: true, href: '' }] }, 'urls/0/href must be a URL'],
      [
        { fields: [{ id: 'f', section: { id: 's' } }] },
        'fields/0/section/id must be the id of a section of the item',
      ],
      [
        { fields: [{ id: 'f', type: 'OTP' }] },
        expect.stringMatching(/^fields\/0\/type must be one/),
      ],
    ])('rejects %j, which the connect dialect accepts', async (changes, message) => {
      const { send, items, vault } = await createDialectClient('contract')
      const body = { category: 'SERVER', vault: { id: vault.vaultId }, ...changes }
      expect(errorOf(await send('POST', items, body))).toEqual([400, message])
      expect((await postItem(changes)).status).toBe(200)
    })
  })
})
