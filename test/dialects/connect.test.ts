import { describe, expect, it } from 'vitest'
import { type OperationName, operations } from '../../src/core/operations.js'
import { connectDialect } from '../../src/dialects/connect.js'
import type { Item } from '../../src/schema/item.js'
import { bodyOf, issuesOf, itemId, storedItem, vaultId } from '../support/items/item-builders.js'

const other = 'o'.repeat(26)
const created = { vaultId }
const replaced = { vaultId, itemId }

function read(changes: object, ref = created): unknown {
  return connectDialect.parseItem({ ...bodyOf(), ...changes }, ref)
}

function readField(field: object): unknown {
  return Reflect.get(Object(read({ fields: [field] })), 'fields')[0]
}

describe('the connect dialect', () => {
  it('has the name connect', () => {
    expect(connectDialect.name).toBe('connect')
  })

  it('says in a header of every response that it is a server with files', () => {
    expect(connectDialect.headers).toEqual({
      '1password-connect-version': expect.stringMatching(/^1\.([3-9]|\d\d)\.\d+$/),
    })
  })

  it('knows inline_files by its other name', () => {
    expect(connectDialect.queryAliases).toEqual({ inline_content: 'inline_files' })
  })

  it('reads what a client may set, and no more', () => {
    const body = {
      ...{ title: 'Mail', id: 5, version: 'x', state: 'GONE', files: null, trashed: true },
      ...{ createdAt: 0, updatedAt: 'never', lastEditedBy: [] },
    }
    expect(read(body)).toEqual({ category: 'LOGIN', vault: { id: vaultId }, title: 'Mail' })
  })
})

describe('the vault and the id of a body', () => {
  it.each([
    ...[undefined, null, {}, '', { id: '' }, { id: null }, { id: vaultId, name: 'x' }],
    ...[{ id: 'My vault' }, { id: 0 }, { id: {} }, { id: 'A'.repeat(26) }],
  ])('are the operation’s where the vault is %j', (vault) => {
    expect(read({ vault })).toEqual(bodyOf())
  })

  it.each([created, replaced])('may not be another vault: %j', (ref) => {
    expect(issuesOf(() => read({ vault: { id: other } }, ref))).toEqual([
      { path: 'vault/id', message: 'must be the vault of the operation' },
    ])
  })

  it.each([
    ['x', 'vault'],
    [5, 'vault'],
    [[], 'vault'],
    [[vaultId], 'vault'],
  ])('may not be the vault %j', (vault, path) => {
    expect(issuesOf(() => read({ vault }))).toEqual([{ path, message: expect.any(String) }])
  })

  it.each([undefined, null, '', itemId, 5, {}, 'x'])(
    'replace an item by one of the id %j',
    (id) => {
      expect(read({ id }, replaced)).toEqual(bodyOf())
    },
  )

  it('do not replace an item by one of another id', () => {
    expect(issuesOf(() => read({ id: other }, replaced))).toEqual([
      { path: 'id', message: 'must be the item of the operation' },
    ])
  })
})

describe('the fields of a body', () => {
  it.each([
    ['USERNAME', 'username'],
    ['PASSWORD', 'password'],
    ['NOTES', 'notesPlain'],
  ])('with the purpose %s and no id get the id %s', (purpose, id) => {
    for (const given of [{}, { id: '' }, { id: null }])
      expect(readField({ ...given, type: 'STRING', purpose })).toEqual({
        id,
        type: 'STRING',
        purpose,
      })
  })

  it('get no id that another has, wherever it stands', () => {
    const fields = [{ purpose: 'USERNAME' }, { id: 'username' }]
    expect(read({ fields })).toMatchObject({ fields })
    expect(read({ fields: [...fields].reverse() })).toMatchObject({ fields: [...fields].reverse() })
    const twins = [{ purpose: 'NOTES' }, { purpose: 'NOTES' }]
    expect(read({ fields: twins })).toMatchObject({
      fields: [{ id: 'notesPlain', purpose: 'NOTES' }, { purpose: 'NOTES' }],
    })
    expect(Reflect.get(Object(read({ fields: twins })), 'fields')[1]).not.toHaveProperty('id')
  })

  it.each([{}, { id: '' }, { id: null }, { purpose: '' }])(
    'without a purpose are left for the vault to name: %j',
    (field) => {
      expect(readField({ ...field, value: 'x' })).not.toHaveProperty('id')
    },
  )

  it.each([undefined, null, ''])(
    'with the type %j are concealed if they are a password',
    (type) => {
      expect(readField({ type, purpose: 'PASSWORD' })).toMatchObject({ type: 'CONCEALED' })
      expect(readField({ type, purpose: 'password' })).toMatchObject({ type: 'CONCEALED' })
      expect(readField({ type, purpose: 'USERNAME' })).not.toHaveProperty('type')
      expect(readField({ type })).not.toHaveProperty('type')
    },
  )

  it('that are nothing but an id stay so', () => {
    const bare = { id: 'f', type: '', label: null, value: null, purpose: null, recipe: null }
    expect(readField(bare)).toEqual({ id: 'f' })
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
  ])('of the type %s are read as %s', (type, canonical) => {
    expect(readField({ type })).toEqual({ type: canonical })
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
  ])('are never of the type %j', (type) => {
    expect(issuesOf(() => readField({ type }))).toEqual([
      { path: 'fields/0/type', message: expect.any(String) },
    ])
  })

  it.each([
    ['password', 'PASSWORD'],
    ['Notes', 'NOTES'],
    ['', ''],
  ])('with the purpose %j are read as %j', (purpose, canonical) => {
    expect(readField({ id: 'f', type: 'STRING', purpose })).toMatchObject({ purpose: canonical })
  })

  it('are generated from a recipe in any case, of the default length where it is 0', () => {
    const recipe = { characterSets: ['letters', 'Digits'], excludeCharacters: null, length: 0 }
    expect(readField({ id: 'f', value: null, generate: true, recipe })).toEqual({
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
    [{ purpose: 'nobody' }, 'purpose'],
    [{ value: 5 }, 'value'],
    [{ label: {} }, 'label'],
    [{ generate: 'yes' }, 'generate'],
    [{ section: 'more' }, 'section'],
    [{ section: { id: 5 } }, 'section/id'],
  ])('are refused where they are wrong: %j', (field, path) => {
    expect(issuesOf(() => readField({ id: 'f', ...field }))).toEqual([
      { path: `fields/0/${path}`, message: expect.any(String) },
    ])
  })
})

describe('the sections of a body', () => {
  it('are those that it lists, and then those that only its fields name', () => {
    const fields = ['b', 'a', 'c', 'b'].map((id) => ({ id: `f${id}`, section: { id } }))
    expect(read({ sections: [{ id: 'a', label: 'A' }, { id: '' }], fields })).toMatchObject({
      sections: [{ id: 'a', label: 'A' }, {}, { id: 'b', label: '' }, { id: 'c', label: '' }],
    })
    expect(read({ sections: null, fields: fields.slice(0, 1) })).toMatchObject({
      sections: [{ id: 'b', label: '' }],
    })
  })

  it.each([
    {},
    { section: null },
    { section: {} },
    { section: { id: '' } },
    { section: { id: null } },
  ])('are not added for a field that names none: %j', (field) => {
    expect(read({ fields: [{ id: 'f', ...field }] })).toMatchObject({ sections: [] })
  })
})

describe('the rest of a body', () => {
  it.each(['title', 'favorite', 'tags', 'urls', 'sections', 'fields', 'id', 'vault'])(
    'may say null for an absent %s',
    (name) => {
      expect(read({ [name]: null })).toEqual(bodyOf())
    },
  )

  it('may say null for an absent attribute of a URL or section', () => {
    const urls = [{ href: '', label: null, primary: null }]
    expect(read({ urls, sections: [{ id: 's', label: null }] })).toEqual(
      bodyOf({ urls: [{ href: '' }], sections: [{ id: 's' }] }),
    )
  })

  it('has a category in any case', () => {
    expect(read({ category: 'Secure_Note' })).toMatchObject({ category: 'SECURE_NOTE' })
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
  ])('is refused where it is wrong: %j', (changes, path) => {
    expect(issuesOf(() => read(changes))).toEqual([{ path, message: expect.any(String) }])
  })

  it.each([undefined, null, 'text', 5, true, [], [bodyOf()]])('is not %j', (body) => {
    expect(issuesOf(() => connectDialect.parseItem(body, created))).toEqual([
      { path: '', message: 'must be an object' },
    ])
  })
})

describe('a hostile body', () => {
  /** An array in an array, a hundred thousand times. */
  function deep(): unknown {
    let value: unknown = []
    for (let level = 0; level < 100_000; level++) value = [value]
    return value
  }

  it('may be as deep as it likes where nobody looks', () => {
    expect(read({ trashed: deep(), fields: [{ id: 'f', totp: deep() }] })).toMatchObject({
      fields: [{ id: 'f' }],
    })
  })

  it.each(['category', 'title', 'tags', 'urls', 'sections', 'fields', 'vault'])(
    'is refused, not followed, where its %s is deep',
    (name) => {
      expect(issuesOf(() => read({ [name]: deep() }))).not.toEqual([])
    },
  )

  it('is not followed where it goes round in a circle', () => {
    const circle: Record<string, unknown> = { ...bodyOf() }
    Object.assign(circle, { vault: circle, fields: [circle] })
    expect(connectDialect.parseItem(circle, created)).toEqual(
      bodyOf({ fields: [{}], sections: [] }),
    )
    Object.assign(circle, { title: circle, tags: [circle] })
    const issues = issuesOf(() => connectDialect.parseItem(circle, created))
    expect(issues.map(({ path }) => path)).toEqual(['title', 'tags/0'])
  })

  it('is read by its own attributes only, and changes no prototype', () => {
    const text =
      '{"__proto__":{"title":"x","polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    const poison = JSON.parse(text)
    expect(read({ ...poison, fields: [JSON.parse('{"__proto__":{"id":"f"}}')] })).toEqual(
      bodyOf({ fields: [{}], sections: [] }),
    )
    expect(connectDialect.parseItem(Object.assign(poison, bodyOf()), created)).toEqual(bodyOf())
    expect('polluted' in {}).toBe(false)
  })

  it('may use the names of every object as ids', () => {
    const ids = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    const fields = ids.map((id) => ({ id, section: { id } }))
    expect(read({ fields })).toEqual(
      bodyOf({ fields, sections: ids.map((id) => ({ id, label: '' })) }),
    )
  })

  it('is left as it was', () => {
    const body = bodyOf({
      fields: [{ type: 'otp', value: null, section: { id: 's' } }],
      tags: null,
    })
    const copy = structuredClone(body)
    connectDialect.parseItem(body, created)
    expect(body).toEqual(copy)
  })
})

describe('a patch', () => {
  it.each([
    ['ADD', 'add'],
    ['Replace', 'replace'],
    ['remove', 'remove'],
  ])('may spell the operation %s', (op, canonical) => {
    expect(connectDialect.parsePatch([{ op, path: '/title', value: 'x', from: 1 }])).toEqual([
      { op: canonical, path: '/title', value: 'x' },
    ])
  })

  it('keeps every value as it is, null too, but for whole items and fields', () => {
    const value = { type: 'otp', label: null }
    const meant = { type: 'OTP' }
    const section = { id: 's', label: null }
    const patch = [
      ['add', '/fields', value, meant],
      ['add', '/fields/-', value, meant],
      ['add', '/fields/a~1b', { ...value, section }, { ...meant, section: { id: 's' } }],
      ['replace', '/fields', [value, null], [meant, null]],
      ['replace', '/fields/f', 5, 5],
      ['replace', '/fields/f/label', null, null],
      ['replace', '/fields/f/section', section, section],
      ['replace', '/title', null, null],
      [
        'replace',
        '',
        { title: null, fields: [value], trashed: true },
        { fields: [meant], sections: [] },
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
    ).toEqual(patch.map(([op, path, , read]) => ({ op, path, value: read })))
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
  ])('is refused where it is wrong: %j', (patch, path) => {
    expect(issuesOf(() => connectDialect.parsePatch(patch))).toEqual([
      { path, message: expect.any(String) },
    ])
  })
})

describe('an answer', () => {
  const others = Object.keys(operations).filter((name) => name !== 'replaceItem') as OperationName[]
  const noon = new Date(59_000)
  const url = 'otpauth://totp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const withCode: Item = storedItem({
    fields: [
      { id: 'a', type: 'OTP', value: url },
      { id: 'b', type: 'OTP', value: '123456' },
      { id: 'c', type: 'STRING', value: url },
      { id: 'd', type: 'TOTP', label: 'code', value: url },
      { id: 'e', type: 'OTP' },
    ],
  })

  it.each(others)('of %s is the very item where there is no code in it', (name) => {
    const item = storedItem({ fields: [{ id: 'b', type: 'OTP', value: '123456' }] })
    expect(connectDialect.formatItem(item, name, noon)).toBe(item)
  })

  it.each(others)('of %s has the code of the moment on each field that has one', (name) => {
    const copy = structuredClone(withCode)
    const [a, b, c, d, e] = withCode.fields
    expect(connectDialect.formatItem(withCode, name, noon)).toStrictEqual({
      ...withCode,
      fields: [{ ...a, totp: '287082' }, b, c, { ...d, totp: '287082' }, e],
    })
    expect(withCode).toEqual(copy)
  })

  it('of replaceItem has the version before, and the codes', () => {
    const plain = storedItem({ version: 2 })
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

  it('can be sent back: the code in it is ignored', () => {
    const answer = connectDialect.formatItem(withCode, 'getItem', noon)
    const { category, vault, favorite, tags, urls, sections, fields } = withCode
    expect(connectDialect.parseItem(answer, replaced)).toEqual({
      ...{ category, vault, favorite, tags, urls, sections, fields },
    })
  })
})
