import { describe, expect, it } from 'vitest'
import { operations } from '../../src/core/operations.js'
import type { MethodName } from '../../src/core/vault-service.js'
import { connectDialect, createConnectDialect } from '../../src/dialects/connect.js'
import type { Item } from '../../src/schema/item.js'
import {
  captureIssues,
  createBody,
  itemId,
  storedItem,
  vaultId,
} from '../support/items/item-builders.js'

const other = 'o'.repeat(26)
const createRef = { vaultId }
const replaceRef = { vaultId, itemId }

/** The body of an item without a field for notes. */
const serverBody = (changes: object = {}) => ({ ...createBody(), category: 'SERVER', ...changes })

function parseItem(changes: object, ref = createRef): unknown {
  return connectDialect.parseItem({ ...serverBody(), ...changes }, ref)
}

function parseField(field: object): unknown {
  return Reflect.get(Object(parseItem({ fields: [field] })), 'fields')[0]
}

const storedServer = (changes: Partial<Item>): Item =>
  storedItem({ category: 'SERVER', ...changes })

describe('connectDialect', () => {
  it('has the name connect', () => {
    expect(connectDialect.name).toBe('connect')
  })

  it('sends a version header of a server with files', () => {
    expect(connectDialect.headers).toEqual({
      '1password-connect-version': expect.stringMatching(/^1\.([3-9]|\d\d)\.\d+$/),
    })
  })

  it('has the name and the version of the published service for its health', () => {
    expect(connectDialect.health).toEqual({
      name: '1Password Connect API',
      version: connectDialect.headers['1password-connect-version'],
    })
  })

  it('has the alias inline_content of inline_files', () => {
    expect(connectDialect.queryAliases).toEqual({ inline_content: 'inline_files' })
  })

  it('parses only attributes that clients can set', () => {
    const body = {
      ...{ title: 'Mail', id: 5, version: 'x', state: 'GONE', files: null, trashed: true },
      ...{ createdAt: 0, updatedAt: 'never', lastEditedBy: [] },
    }
    expect(parseItem(body)).toEqual({ category: 'SERVER', vault: { id: vaultId }, title: 'Mail' })
  })
})

describe('connectDialect.parseItem: vault and id', () => {
  it.each([
    ...[undefined, null, {}, '', { id: '' }, { id: null }, { id: vaultId, name: 'x' }],
    ...[{ id: 'My vault' }, { id: 0 }, { id: {} }, { id: 'A'.repeat(26) }],
  ])('uses the vault of the operation when the vault is %j', (vault) => {
    expect(parseItem({ vault })).toEqual(serverBody())
  })

  it.each([createRef, replaceRef])('rejects another vault: %j', (ref) => {
    expect(captureIssues(() => parseItem({ vault: { id: other } }, ref))).toEqual([
      { path: 'vault/id', message: 'must be the vault of the operation (vaultId)' },
    ])
  })

  it.each([
    ['x', 'vault'],
    [5, 'vault'],
    [[], 'vault'],
    [[vaultId], 'vault'],
  ])('rejects the vault %j', (vault, path) => {
    expect(captureIssues(() => parseItem({ vault }))).toEqual([
      { path, message: expect.any(String) },
    ])
  })

  it.each([undefined, null, '', itemId, 5, {}, 'x'])(
    'accepts the id %j when an item is replaced',
    (id) => {
      expect(parseItem({ id }, replaceRef)).toEqual(serverBody())
    },
  )

  it('rejects the id of another item when an item is replaced', () => {
    expect(captureIssues(() => parseItem({ id: other }, replaceRef))).toEqual([
      { path: 'id', message: 'must be the item of the operation (itemId)' },
    ])
  })
})

describe('connectDialect.parseItem: fields', () => {
  it.each([
    ['USERNAME', 'username'],
    ['PASSWORD', 'password'],
    ['NOTES', 'notesPlain'],
  ])('sets the id of a field with the purpose %s to %s', (purpose, id) => {
    for (const idPart of [{}, { id: '' }, { id: null }])
      expect(parseField({ ...idPart, type: 'STRING', purpose })).toEqual({
        id,
        type: 'STRING',
        purpose,
      })
  })

  it('does not set an id that another field has', () => {
    const fields = [{ purpose: 'USERNAME' }, { id: 'username' }]
    expect(parseItem({ fields })).toMatchObject({ fields })
    expect(parseItem({ fields: [...fields].reverse() })).toMatchObject({
      fields: [...fields].reverse(),
    })
    const duplicates = [{ purpose: 'NOTES' }, { purpose: 'NOTES' }]
    expect(parseItem({ fields: duplicates })).toMatchObject({
      fields: [{ id: 'notesPlain', purpose: 'NOTES' }, { purpose: 'NOTES' }],
    })
    expect(Reflect.get(Object(parseItem({ fields: duplicates })), 'fields')[1]).not.toHaveProperty(
      'id',
    )
  })

  it.each([{}, { id: '' }, { id: null }, { purpose: '' }])(
    'sets no id for a field without a purpose: %j',
    (field) => {
      expect(parseField({ ...field, value: 'x' })).not.toHaveProperty('id')
    },
  )

  it.each([undefined, null, ''])('sets CONCEALED for a password with the type %j', (type) => {
    expect(parseField({ type, purpose: 'PASSWORD' })).toMatchObject({ type: 'CONCEALED' })
    expect(parseField({ type, purpose: 'password' })).toMatchObject({ type: 'CONCEALED' })
    expect(parseField({ type, purpose: 'USERNAME' })).not.toHaveProperty('type')
    expect(parseField({ type })).not.toHaveProperty('type')
  })

  it('keeps a field with only an id as a reference', () => {
    const bare = { id: 'f', type: '', label: null, value: null, purpose: null, recipe: null }
    expect(parseField(bare)).toEqual({ id: 'f' })
  })

  it.each([
    ['concealed', 'CONCEALED'],
    ['Month_Year', 'MONTH_YEAR'],
    ['OTP', 'OTP'],
    ['credit_card_Number', 'CREDIT_CARD_NUMBER'],
    ['sshkey', 'SSHKEY'],
    ['unknown', 'UNKNOWN'],
    ['x2_', 'X2_'],
    ['a'.repeat(64), 'A'.repeat(64)],
  ])('parses the type %s as %s', (type, canonical) => {
    expect(parseField({ type })).toEqual({ type: canonical })
  })

  it.each([
    '1PASSWORD',
    '_X',
    'A B',
    'ß',
    'ſtring',
    'tıtle',
    'a'.repeat(65),
    ' ',
    'X\n',
    5,
    {},
    [],
  ])('rejects the type %j', (type) => {
    expect(captureIssues(() => parseField({ type }))).toEqual([
      { path: 'fields/0/type', message: expect.any(String) },
    ])
  })

  it.each([
    ['password', 'PASSWORD'],
    ['Notes', 'NOTES'],
    ['', ''],
  ])('parses the purpose %j as %j', (purpose, canonical) => {
    expect(parseField({ id: 'f', type: 'STRING', purpose })).toMatchObject({ purpose: canonical })
  })

  it('parses a recipe in any case and drops a length of 0', () => {
    const recipe = { characterSets: ['letters', 'Digits'], excludeCharacters: null, length: 0 }
    expect(parseField({ id: 'f', value: null, generate: true, recipe })).toEqual({
      id: 'f',
      generate: true,
      recipe: { characterSets: ['LETTERS', 'DIGITS'] },
    })
  })

  it.each([
    [{ recipe: { length: -1 } }, 'recipe/length'],
    [{ recipe: { length: 65 } }, 'recipe/length'],
    [{ recipe: { characterSets: ['letters', 'LETTERS'] } }, 'recipe/characterSets'],
    [{ recipe: { characterSets: [null] } }, 'recipe/characterSets/0'],
    [{ purpose: 'unknown' }, 'purpose'],
    [{ value: 5 }, 'value'],
    [{ label: {} }, 'label'],
    [{ generate: 'yes' }, 'generate'],
    [{ section: 'more' }, 'section'],
    [{ section: { id: 5 } }, 'section/id'],
  ])('rejects a field with %j', (field, path) => {
    expect(captureIssues(() => parseField({ id: 'f', ...field }))).toEqual([
      { path: `fields/0/${path}`, message: expect.any(String) },
    ])
  })
})

describe('connectDialect.parseItem: sections', () => {
  it('returns the listed sections and then those that only fields name', () => {
    const fields = ['b', 'a', 'c', 'b'].map((id) => ({ id: `f${id}`, section: { id } }))
    expect(parseItem({ sections: [{ id: 'a', label: 'A' }, { id: '' }], fields })).toMatchObject({
      sections: [{ id: 'a', label: 'A' }, {}, { id: 'b', label: '' }, { id: 'c', label: '' }],
    })
    expect(parseItem({ sections: null, fields: fields.slice(0, 1) })).toMatchObject({
      sections: [{ id: 'b', label: '' }],
    })
  })

  it.each([
    {},
    { section: null },
    { section: {} },
    { section: { id: '' } },
    { section: { id: null } },
  ])('adds no section for a field with %j', (field) => {
    expect(parseItem({ fields: [{ id: 'f', ...field }] })).toMatchObject({ sections: [] })
  })
})

describe('connectDialect.parseItem: other attributes', () => {
  it.each(['title', 'favorite', 'tags', 'urls', 'sections', 'fields', 'id', 'vault'])(
    'treats null as an absent %s',
    (name) => {
      expect(parseItem({ [name]: null })).toEqual(serverBody())
    },
  )

  it('treats null as an absent attribute of a URL or section', () => {
    const urls = [{ href: '', label: null, primary: null }]
    expect(parseItem({ urls, sections: [{ id: 's', label: null }] })).toEqual(
      serverBody({ urls: [{ href: '' }], sections: [{ id: 's' }] }),
    )
  })

  it('parses a category in any case', () => {
    expect(parseItem({ category: 'Secure_Note' })).toMatchObject({ category: 'SECURE_NOTE' })
  })

  it.each([
    [{ category: null }, 'category'],
    [{ category: '' }, 'category'],
    [{ category: 'logın' }, 'category'],
    [{ tags: [null] }, 'tags/0'],
    [{ urls: [null] }, 'urls/0'],
    [{ urls: [{}] }, 'urls/0/href'],
    [{ urls: [{ href: null }] }, 'urls/0/href'],
    [{ urls: {} }, 'urls'],
    [{ sections: [[]] }, 'sections/0'],
    [{ fields: ['f'] }, 'fields/0'],
    [{ fields: { 0: {} } }, 'fields'],
  ])('rejects %j', (changes, path) => {
    expect(captureIssues(() => parseItem(changes))).toEqual([{ path, message: expect.any(String) }])
  })

  it.each([undefined, null, 'text', 5, true, [], [serverBody()]])('rejects the body %j', (body) => {
    expect(captureIssues(() => connectDialect.parseItem(body, createRef))).toEqual([
      { path: '', message: 'must be an object' },
    ])
  })
})

describe('connectDialect.parseItem: hostile bodies', () => {
  /** An array nested a hundred thousand times. */
  function nestedArray(): unknown {
    let value: unknown = []
    for (let level = 0; level < 100_000; level++) value = [value]
    return value
  }

  it('ignores deep values of unknown attributes', () => {
    expect(
      parseItem({ trashed: nestedArray(), fields: [{ id: 'f', totp: nestedArray() }] }),
    ).toMatchObject({
      fields: [{ id: 'f' }],
    })
  })

  it.each(['category', 'title', 'tags', 'urls', 'sections', 'fields', 'vault'])(
    'rejects a deep %s without recursion',
    (name) => {
      expect(captureIssues(() => parseItem({ [name]: nestedArray() }))).not.toEqual([])
    },
  )

  it('does not follow circular references', () => {
    const circle: Record<string, unknown> = { ...serverBody() }
    Object.assign(circle, { vault: circle, fields: [circle] })
    expect(connectDialect.parseItem(circle, createRef)).toEqual(
      serverBody({ fields: [{}], sections: [] }),
    )
    Object.assign(circle, { title: circle, tags: [circle] })
    const issues = captureIssues(() => connectDialect.parseItem(circle, createRef))
    expect(issues.map(({ path }) => path)).toEqual(['title', 'tags/0'])
  })

  it('reads only own attributes and modifies no prototype', () => {
    const text =
      '{"__proto__":{"title":"x","polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    const hostile = JSON.parse(text)
    expect(parseItem({ ...hostile, fields: [JSON.parse('{"__proto__":{"id":"f"}}')] })).toEqual(
      serverBody({ fields: [{}], sections: [] }),
    )
    expect(connectDialect.parseItem(Object.assign(hostile, serverBody()), createRef)).toEqual(
      serverBody(),
    )
    expect('polluted' in {}).toBe(false)
  })

  it('accepts names of Object.prototype as ids', () => {
    const ids = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    const fields = ids.map((id) => ({ id, section: { id } }))
    expect(parseItem({ fields })).toEqual(
      serverBody({ fields, sections: ids.map((id) => ({ id, label: '' })) }),
    )
  })

  it('does not modify the body', () => {
    const body = createBody({
      fields: [{ type: 'otp', value: null, section: { id: 's' } }],
      tags: null,
    })
    const copy = structuredClone(body)
    connectDialect.parseItem(body, createRef)
    expect(body).toEqual(copy)
  })
})

describe('connectDialect.parsePatch', () => {
  it.each([
    ['ADD', 'add'],
    ['Replace', 'replace'],
    ['remove', 'remove'],
  ])('parses the op %s', (op, canonical) => {
    expect(connectDialect.parsePatch([{ op, path: '/title', value: 'x', from: 1 }])).toEqual([
      { op: canonical, path: '/title', value: 'x' },
    ])
  })

  it('normalizes only values of whole items and fields', () => {
    const value = { type: 'otp', label: null }
    const normalized = { type: 'OTP' }
    const section = { id: 's', label: null }
    const patch = [
      ['add', '/fields', value, normalized],
      ['add', '/fields/-', value, normalized],
      ['add', '/fields/a~1b', { ...value, section }, { ...normalized, section: { id: 's' } }],
      ['replace', '/fields', [value, null], [normalized, null]],
      ['replace', '/fields/f', 5, 5],
      ['replace', '/fields/f/label', null, null],
      ['replace', '/fields/f/section', section, section],
      ['replace', '/title', null, null],
      [
        'replace',
        '',
        { title: null, fields: [value], trashed: true },
        { fields: [normalized], sections: [] },
      ],
      [
        'add',
        '',
        { fields: [{ id: 'f', section }] },
        {
          fields: [{ id: 'f', section: { id: 's' } }],
          sections: [{ id: 's', label: '' }],
        },
      ],
      ['replace', '/', 5, 5],
      ['remove', '/tags/0', undefined, undefined],
    ] as const
    expect(
      connectDialect.parsePatch(patch.map(([op, path, sent]) => ({ op, path, value: sent }))),
    ).toEqual(patch.map(([op, path, , expected]) => ({ op, path, value: expected })))
  })

  it.each([
    [[{ op: 'move', path: '/title' }], '0/op'],
    [[{ op: 'COPY', path: '/title' }], '0/op'],
    [[{ op: '', path: '/title' }], '0/op'],
    [[{ path: '/title' }], '0/op'],
    [[{ op: 'add' }], '0/path'],
    [[{ op: 'add', path: null }], '0/path'],
    [[null], '0'],
    [['add'], '0'],
    [[[]], '0'],
    [{}, ''],
    [null, ''],
    [undefined, ''],
  ])('rejects the patch %j', (patch, path) => {
    expect(captureIssues(() => connectDialect.parsePatch(patch))).toEqual([
      { path, message: expect.any(String) },
    ])
  })
})

describe('connectDialect.formatItem', () => {
  const others = Object.keys(operations).filter((name) => name !== 'replaceItem') as MethodName[]
  const noon = new Date(59_000)
  const url = 'otpauth://totp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const withCode: Item = storedServer({
    fields: [
      { id: 'a', type: 'OTP', value: url },
      { id: 'b', type: 'OTP', value: '123456' },
      { id: 'c', type: 'STRING', value: url },
      { id: 'd', type: 'TOTP', label: 'code', value: url },
      { id: 'e', type: 'OTP' },
    ],
  })

  it.each(others)('returns the same object for %s when no field has a code', (name) => {
    const item = storedServer({ fields: [{ id: 'b', type: 'OTP', value: '123456' }] })
    expect(connectDialect.formatItem(item, name, noon)).toBe(item)
  })

  it.each(others)('adds the current code to each field of %s that has one', (name) => {
    const copy = structuredClone(withCode)
    const [a, b, c, d, e] = withCode.fields
    expect(connectDialect.formatItem(withCode, name, noon)).toStrictEqual({
      ...withCode,
      fields: [{ ...a, totp: '287082' }, b, c, { ...d, type: 'OTP', totp: '287082' }, e],
    })
    expect(withCode).toEqual(copy)
  })

  it('returns the type OTP when a URL has no code, and after the first 100 codes', () => {
    const invalid = { id: 'x', type: 'TOTP', value: 'otpauth://hotp/a?secret=GEZDGNBV&counter=1' }
    const item = storedServer({ fields: [invalid] })
    expect(connectDialect.formatItem(item, 'getItem', noon)).toStrictEqual({
      ...item,
      fields: [{ ...invalid, type: 'OTP' }],
    })
    const fields = Array.from({ length: 101 }, (_, index) => ({
      ...{ id: `${index}`, type: 'TOTP', value: url },
    }))
    const many = connectDialect.formatItem(storedServer({ fields }), 'getItem', noon)
    const formatted: { type: string; totp?: string }[] = Object(many).fields
    expect(new Set(formatted.map(({ type }) => type))).toEqual(new Set(['OTP']))
    expect(formatted.filter(({ totp }) => totp !== undefined)).toHaveLength(100)
  })

  it('returns the previous version and the codes for replaceItem', () => {
    const plain = storedServer({ version: 2 })
    expect(connectDialect.formatItem(plain, 'replaceItem', noon)).toStrictEqual({
      ...plain,
      version: 1,
    })
    expect(connectDialect.formatItem(withCode, 'replaceItem', noon)).toMatchObject({
      version: withCode.version - 1,
      fields: [{ totp: '287082' }, {}, {}, { totp: '287082' }, {}],
    })
    expect(plain.version).toBe(2)
  })

  it('returns an item that parseItem accepts, ignoring the code', () => {
    const formatted = connectDialect.formatItem(withCode, 'getItem', noon)
    const { category, vault, favorite, tags, urls, sections, fields } = withCode
    const read = fields.map((field) => (field.id === 'd' ? { ...field, type: 'OTP' } : field))
    expect(connectDialect.parseItem(formatted, replaceRef)).toEqual({
      ...{ category, vault, favorite, tags, urls, sections, fields: read },
    })
  })
})

describe('createConnectDialect', () => {
  it('returns fields with one-time codes with the type of the option', () => {
    const value = 'otpauth://totp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    const item = storedServer({
      fields: ['OTP', 'TOTP'].map((type) => ({ id: type, type, value })),
    })
    for (const [dialect, expected] of [
      [createConnectDialect(), 'OTP'],
      [createConnectDialect({ otpType: undefined }), 'OTP'],
      [createConnectDialect({ otpType: 'OTP' }), 'OTP'],
      [createConnectDialect({ otpType: 'TOTP' }), 'TOTP'],
    ] as const) {
      const formatted = dialect.formatItem(item, 'getItem', new Date(59_000))
      const totp = '287082'
      expect(formatted).toHaveProperty('fields', [
        { id: 'OTP', type: expected, value, totp },
        { id: 'TOTP', type: expected, value, totp },
      ])
    }
  })
})
