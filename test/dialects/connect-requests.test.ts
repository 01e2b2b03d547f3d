import { describe, expect, it } from 'vitest'
import {
  createDialectClient,
  type DialectClient,
  type Reply,
} from '../support/http/dialect-client.js'

const newId = expect.stringMatching(/^[0189][a-z2-7]{25}$/)
const generatedValue = expect.stringMatching(/^[A-Za-z0-9!@.\-_*]{32}$/)

/** The response to POST of a server with these attributes. */
async function postItem(body: object): Promise<Reply> {
  const client = await createDialectClient('connect')
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

// Rows that the contract (connect-1 to connect-8, connect-15, connect-18 and connect-19) has are left out.
describe('connectDialect over HTTP', () => {
  describe('POST of an item', () => {
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

    it.each([
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
  })

  describe('PUT of an item', () => {
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
  })
})
