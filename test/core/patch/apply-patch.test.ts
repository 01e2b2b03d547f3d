import { describe, expect, it } from 'vitest'
import { applyPatch, planPatch } from '../../../src/core/patch/apply-patch.js'
import { limitOptions } from '../../../src/core/runtime/limits.js'
import type { Field, Item, PatchOperation } from '../../../src/index.js'
import {
  add,
  applyFrozen,
  createPatchHarness,
  pickSettable,
  remove,
  replace,
} from '../../support/items/patch-harness.js'

const username: Field = {
  id: 'username',
  type: 'STRING',
  label: 'username',
  value: 'wendy',
  purpose: 'USERNAME',
}
const slash: Field = { id: 'a/b~c', type: 'STRING', label: 'Slash', value: '1' }
const pin: Field = {
  id: 'pin',
  type: 'CONCEALED',
  label: 'PIN',
  value: '1234',
  section: { id: 'more' },
}
/** The fields of the item that the patches are applied to. Its other attributes: `loginDraft`. */
const fields = [username, slash, pin]

const { section: _, ...pinWithoutSection } = pin
const newId = expect.stringMatching(/^[0189][a-z2-7]{25}$/)
const sixDigits = expect.stringMatching(/^\d{6}$/)
const whole = { category: 'SERVER', title: 'Whole' } as const
const emptyItem = { ...whole, favorite: false, tags: [], urls: [], sections: [], fields: [] }
const shared = { type: 'STRING', section: { id: 'more' } }
const circular: unknown[] = []
circular.push(circular)

/** The behavior, the patch, and the attributes that change; all others stay the same. */
type Accepted = [title: string, patch: readonly object[], changes: Partial<Item>]

const attributes: readonly Accepted[] = [
  ['sets an attribute', [replace('/favorite', true)], { favorite: true }],
  ['sets an empty title', [replace('/title', '')], { title: '' }],
  ['sets the category', [add('/category', 'CUSTOM')], { category: 'CUSTOM' }],
  ['sets true to false', [add('/favorite', true), add('/favorite', false)], { favorite: false }],
  ['resets a removed attribute', [remove('/favorite')], { favorite: false }],
  [
    'accepts an invalid item between operations',
    [remove('/category'), replace('/fields', 'x'), remove('/fields'), add('/category', 'SERVER')],
    { category: 'SERVER', fields: [] },
  ],
]

const lists: readonly Accepted[] = [
  ['inserts a tag', [add('/tags/1', 'new')], { tags: ['work', 'new', 'mail'] }],
  ['appends a tag at -', [add('/tags/-', 'new')], { tags: ['work', 'mail', 'new'] }],
  ['appends a tag at the length', [add('/tags/2', '')], { tags: ['work', 'mail', ''] }],
  ['replaces a tag', [replace('/tags/0', 'new')], { tags: ['new', 'mail'] }],
  ['replaces all tags', [add('/tags', ['new'])], { tags: ['new'] }],
  ['removes all tags', [remove('/tags')], { tags: [] }],
  [
    'ignores members that an operation does not use',
    [{ op: 'remove', path: '/tags/1', value: circular, from: circular }],
    { tags: ['work'] },
  ],
  [
    'changes the attributes of a URL',
    [
      replace('/urls/0/href', 'https://example.org/'),
      remove('/urls/0/label'),
      replace('/urls/0/primary', false),
    ],
    { urls: [{ href: 'https://example.org/', primary: false }] },
  ],
  [
    'inserts a URL',
    [add('/urls/0', { href: 'https://a.example' })],
    {
      urls: [
        { href: 'https://a.example' },
        { href: 'https://example.com/login', label: 'website', primary: true },
      ],
    },
  ],
  [
    'adds and renames sections',
    [add('/sections/-', { id: 'last' }), replace('/sections/0/label', 'Other')],
    { sections: [{ id: 'more', label: 'Other' }, { id: 'last' }] },
  ],
]

const ofFields: readonly Accepted[] = [
  [
    'changes and removes attributes of a field',
    [add('/fields/pin/label', 'New'), remove('/fields/pin/value'), remove('/fields/pin/section')],
    { fields: [username, slash, { id: 'pin', type: 'CONCEALED', label: 'New' }] },
  ],
  [
    'sets an empty value',
    [replace('/fields/pin/value', '')],
    { fields: [username, slash, { ...pin, value: '' }] },
  ],
  [
    'changes the section of a field, and removes its id',
    [add('/fields/username/section', { id: 'more' }), remove('/fields/pin/section/id')],
    { fields: [{ ...username, section: { id: 'more' } }, slash, { ...pin, section: {} }] },
  ],
  [
    'finds a field by its id after an earlier operation moved it',
    [remove('/fields/username'), replace('/fields/pin/value', '9')],
    { fields: [slash, { ...pin, value: '9' }] },
  ],
  [
    'finds a field that an earlier operation added',
    [
      add('/fields', { id: 'new', type: 'URL' }),
      add('/fields/new/label', 'New'),
      remove('/fields/username'),
      add('/fields/new/value', 'x'),
    ],
    { fields: [slash, pin, { id: 'new', type: 'URL', label: 'New', value: 'x' }] },
  ],
  [
    'reads the escapes in an id when it changes a field',
    [replace('/fields/a~1b~0c/value', '2')],
    { fields: [username, { ...slash, value: '2' }, pin] },
  ],
  [
    'reads the escapes in an id when it removes a field',
    [remove('/fields/a~1b~0c')],
    { fields: [username, pin] },
  ],
  [
    'takes a number for an id, not an index',
    [add('/fields/0', { type: 'STRING', value: 'zero' })],
    { fields: [...fields, { id: '0', type: 'STRING', value: 'zero' }] },
  ],
  ...['constructor', '__proto__', 'toString', ''].map(
    (id): Accepted => [
      `accepts the id ${JSON.stringify(id)} like any other`,
      [add(`/fields/${id}`, { type: 'STRING' }), add(`/fields/${id}/value`, 'x')],
      { fields: [...fields, { id, type: 'STRING', value: 'x' }] },
    ],
  ),
  [
    'replaces all fields by an added list',
    [add('/fields', [pin, { id: 'x', type: 'MENU' }])],
    { fields: [pin, { id: 'x', type: 'MENU' }] },
  ],
  ['replaces all fields', [replace('/fields', [pin])], { fields: [pin] }],
  ['removes all fields', [remove('/fields')], { fields: [] }],
  [
    'adds a list where the fields were removed',
    [remove('/fields'), add('/fields', []), add('/fields/-', pin)],
    { fields: [pin] },
  ],
  [
    'appends a field at -',
    [add('/fields/-', { id: 'x', type: 'MENU' })],
    { fields: [...fields, { id: 'x', type: 'MENU' }] },
  ],
  [
    'generates a different id for each appended field without one',
    [add('/fields', { label: 'A' }), add('/fields/-', { label: 'B' })],
    {
      fields: [
        ...fields,
        { id: newId, type: 'STRING', label: 'A' },
        { id: newId, type: 'STRING', label: 'B' },
      ],
    },
  ],
  [
    'changes a field with the id -',
    [
      add('/fields', { id: '-', type: 'STRING' }),
      replace('/fields/-', { type: 'URL' }),
      add('/fields/-/label', 'Dash'),
    ],
    { fields: [...fields, { id: '-', type: 'URL', label: 'Dash' }] },
  ],
  [
    'adds a field with the id of the path',
    [add('/fields/new', { type: 'STRING' })],
    { fields: [...fields, { id: 'new', type: 'STRING' }] },
  ],
  [
    'replaces a field in its place when it is added again',
    [add('/fields/username', { type: 'URL', value: 'x' })],
    { fields: [{ id: 'username', type: 'URL', value: 'x' }, slash, pin] },
  ],
  [
    'keeps the id and the place of a replaced field',
    [replace('/fields/username', { type: 'MENU', label: 'New', value: 'x' })],
    { fields: [{ id: 'username', type: 'MENU', label: 'New', value: 'x' }, slash, pin] },
  ],
  [
    'replaces a field by one with the same id',
    [replace('/fields/a~1b~0c', { id: 'a/b~c', type: 'URL' })],
    { fields: [username, { id: 'a/b~c', type: 'URL' }, pin] },
  ],
  [
    'copies a value for each operation that contains it',
    [add('/fields/a', shared), add('/fields/b', shared), remove('/fields/a/section/id')],
    {
      fields: [
        ...fields,
        { id: 'a', type: 'STRING', section: {} },
        { id: 'b', type: 'STRING', section: { id: 'more' } },
      ],
    },
  ],
  [
    'treats undefined members as absent',
    [add('/fields', { id: undefined, type: 'URL', label: undefined })],
    { fields: [...fields, { id: newId, type: 'URL' }] },
  ],
  ...['', null].map(
    (value): Accepted => [
      `generates a value by the recipe when the value is ${JSON.stringify(value)}`,
      [
        replace('/fields/pin/value', value),
        add('/fields/pin/generate', true),
        add('/fields/pin/recipe', {}),
        add('/fields/pin/recipe/characterSets', ['DIGITS']),
        add('/fields/pin/recipe/length', 6),
      ],
      { fields: [username, slash, { ...pin, value: sixDigits }] },
    ],
  ),
]

const references: readonly Accepted[] = [
  ...[add, replace].map(
    (operation): Accepted => [
      `keeps a field that ${operation.name} only refers to, and moves it to the given section`,
      [
        operation('/fields/a~1b~0c', {}),
        operation('/fields/pin', { id: 'pin' }),
        operation('/fields/username', { section: { id: 'more' } }),
      ],
      { fields: [{ ...username, section: { id: 'more' } }, slash, pin] },
    ],
  ),
  [
    'keeps the fields that a list refers to, without a section that was removed',
    [
      remove('/sections'),
      replace('/fields', [{ id: 'pin' }, { id: 'x', type: 'URL' }, slash]),
      add('/fields', [{ id: 'a/b~c' }, { id: 'pin' }]),
    ],
    { sections: [], fields: [slash, pinWithoutSection] },
  ],
  [
    'keeps the fields that a whole item refers to',
    [replace('/', { ...whole, fields: [{ id: 'a/b~c' }, { id: 'username' }] })],
    { ...emptyItem, fields: [slash, username] },
  ],
  [
    'refers to a field as an earlier operation left it',
    [
      replace('/fields/a~1b~0c/value', 'new'),
      add('/fields/n', { type: 'URL' }),
      replace('/', { ...whole, fields: [{ id: 'n' }, { id: 'a/b~c' }] }),
    ],
    {
      ...emptyItem,
      fields: [
        { id: 'n', type: 'URL' },
        { ...slash, value: 'new' },
      ],
    },
  ],
  [
    'changes one of two references in a whole item',
    [
      replace('/fields/a~1b~0c/value', 'changed'),
      replace('/', { ...whole, fields: [{ id: 'a/b~c' }, { id: 'a/b~c' }] }),
      replace('/fields/a~1b~0c/value', 'new'),
      remove('/fields/a~1b~0c'),
    ],
    { ...emptyItem, fields: [{ ...slash, value: 'changed' }] },
  ],
  [
    'changes the value of one of two references',
    [
      replace('/fields/pin/value', 'changed'),
      add('/fields', { id: 'pin' }),
      replace('/fields/pin/value', 'new'),
      remove('/fields/pin'),
    ],
    { fields: [username, slash, { ...pin, value: 'changed' }] },
  ],
  [
    'changes the section of one of two references',
    [
      replace('/fields/pin/section/id', 'more'),
      add('/fields', { id: 'pin' }),
      replace('/fields/pin/section/id', 'other'),
      remove('/fields/pin'),
    ],
    {},
  ],
  [
    'generates the value of one of two references',
    [
      remove('/fields/pin/value'),
      add('/fields/-', { id: 'pin' }),
      add('/fields/pin/generate', true),
      remove('/fields/pin'),
    ],
    {
      fields: [
        username,
        slash,
        { id: 'pin', type: 'CONCEALED', label: 'PIN', section: { id: 'more' } },
      ],
    },
  ],
]

const wholeItem: readonly Accepted[] = [
  ...['/', ''].map(
    (path): Accepted => [
      `replaces the whole item at ${JSON.stringify(path)}`,
      [
        replace(path, {
          tags: ['tag'],
          title: 'New',
          favorite: true,
          category: 'LOGIN',
        }),
      ],
      { ...emptyItem, tags: ['tag'], title: 'New', favorite: true, category: 'LOGIN' },
    ],
  ),
  ['replaces it when it is added', [add('/', whole)], emptyItem],
  [
    'ignores the other attributes that the vault sets',
    [
      replace('', {
        ...whole,
        version: -7,
        state: 'DELETED',
        createdAt: '0001-01-01T00:00:00Z',
        updatedAt: '2030-01-01T00:00:00.123+01:00',
        lastEditedBy: 'mallory',
        files: [{ id: 'x' }],
      }),
    ],
    emptyItem,
  ],
  [
    'keeps the vault when the whole item has none',
    [replace('', { ...whole, vault: undefined })],
    emptyItem,
  ],
  [
    'ignores a malformed id of a whole item that a later operation replaces',
    [add('', { ...whole, id: 'x' }), add('', whole)],
    emptyItem,
  ],
  [
    'treats undefined attributes as absent',
    [
      replace('/', { ...whole, tags: undefined, fields: undefined }),
      add('/tags/-', 'x'),
      add('/fields/-', username),
    ],
    { ...emptyItem, tags: ['x'], fields: [username] },
  ],
  [
    'ignores inherited members',
    [add('/fields/x', Object.assign(Object.create({ value: 'bad' }), { type: 'STRING' }))],
    { fields: [...fields, { id: 'x', type: 'STRING' }] },
  ],
  [
    'ignores a key __proto__ on every level',
    [
      replace(
        '/',
        JSON.parse(
          '{"category":"SERVER","title":"Whole","__proto__":{"favorite":true,"tags":["bad"]}}',
        ),
      ),
      replace('/fields', [JSON.parse('{"id":"x","type":"STRING","__proto__":{"value":"bad"}}')]),
    ],
    { ...emptyItem, fields: [{ id: 'x', type: 'STRING' }] },
  ],
  [
    'continues with empty lists where attributes are absent',
    [
      replace('/', whole),
      replace('/favorite', true),
      add('/tags/-', 'first'),
      add('/fields/-', pin),
      remove('/fields/pin/section'),
      add('/urls/0', { href: 'https://a.example' }),
      add('/sections/0', { id: 's' }),
    ],
    {
      ...emptyItem,
      favorite: true,
      tags: ['first'],
      fields: [pinWithoutSection],
      urls: [{ href: 'https://a.example' }],
      sections: [{ id: 's' }],
    },
  ],
]

describe.each([
  ['attributes', attributes],
  ['lists by index', lists],
  ['fields', ofFields],
  ['references to fields', references],
  ['the whole item', wholeItem],
])('applyPatch: %s', (_topic, accepted) => {
  it.each(accepted)('%s', async (_title, patch, changes) => {
    const harness = await createPatchHarness({ fields })
    const { item } = harness
    expect(await harness.patch(patch)).toStrictEqual({ ...item, ...changes, version: 2 })
    const [first, second] = applyFrozen(item, patch)
    expect(second).toStrictEqual(first)
  })
})

describe('applyPatch', () => {
  it('stores a copy of the values in the patch', async () => {
    const harness = await createPatchHarness()
    const value = { category: 'LOGIN', tags: ['x'] }
    const plan = planPatch([{ op: 'replace', path: '/', value }], limitOptions.read({}))
    value.tags.push('later')
    expect(applyPatch(harness.item, plan, () => 'new')).toMatchObject({ tags: ['x'] })
  })

  it('returns the attributes that a client can set, and the vault', async () => {
    const { item } = await createPatchHarness()
    const [document] = applyFrozen(item, [])
    expect(document).toStrictEqual({ ...pickSettable(item), vault: item.vault })
  })

  it('calls newFieldId for fields without an id only, and throws its error', async () => {
    const { item } = await createPatchHarness()
    const error = new Error('no randomness')
    const addField = (value: object): object => {
      const patch: PatchOperation[] = [{ op: 'add', path: '/fields', value }]
      return applyPatch(item, planPatch(patch, limitOptions.read({})), () => {
        throw error
      })
    }
    expect(addField({ id: 'x', type: 'URL' })).toHaveProperty('fields.3.id', 'x')
    expect(() => addField({ type: 'URL' })).toThrow(error)
  })
})
