import { describe, expect, it } from 'vitest'
import { createPatchHarness } from '../../support/items/patch-harness.js'

/** An operation that is invalid by itself or on the item of `loginDraft`, and the error message. */
type InvalidOperation = [
  name: string,
  operation: { readonly op: string; readonly path: string; readonly value?: unknown },
  reason: string,
]

const notPatchable = 'is not a patchable path of an item'
const pathMissing = 'path does not exist'
const fieldMissing = "The item doesn't have a lost field."
const dashMissing = "The item doesn't have a - field."
const field = { type: 'STRING' }
const nestedArray = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

// Rows that the contract (patches-10 to patches-15) and `parsePatchPath` have are left out.
const paths: readonly InvalidOperation[] = [
  ...['add', 'replace', 'remove'].map(
    (op): InvalidOperation => [
      `to ${op} /version`,
      { op, path: '/version', value: 1 },
      notPatchable,
    ],
  ),
  ['the id of a field', { op: 'replace', path: '/fields/pin/id', value: 'x' }, notPatchable],
  [
    'a tag index beyond the safe integers',
    { op: 'add', path: '/tags/9007199254740993', value: 'x' },
    notPatchable,
  ],
  [
    'an invalid escape',
    { op: 'add', path: '/fields/~2', value: {} },
    'is not a JSON Pointer, such as /title',
  ],
]

const missingPaths: readonly InvalidOperation[] = [
  [
    'an attribute of a URL past the end',
    { op: 'add', path: '/urls/1/label', value: 'x' },
    pathMissing,
  ],
  ['an unknown field to remove', { op: 'remove', path: '/fields/lost' }, fieldMissing],
  [
    'an unknown field to replace',
    { op: 'replace', path: '/fields/lost', value: field },
    fieldMissing,
  ],
  [
    'an attribute of an unknown field',
    { op: 'add', path: '/fields/lost/label', value: 'x' },
    fieldMissing,
  ],
  [
    'an attribute of an unknown field to remove',
    { op: 'remove', path: '/fields/lost/label' },
    fieldMissing,
  ],
  [
    'a field with the name of an inherited member',
    { op: 'remove', path: '/fields/constructor' },
    "The item doesn't have a constructor field.",
  ],
  ['a field to remove at -', { op: 'remove', path: '/fields/-' }, dashMissing],
  ['a field to replace at -', { op: 'replace', path: '/fields/-', value: field }, dashMissing],
  ['an attribute of a field at -', { op: 'add', path: '/fields/-/label', value: 'x' }, dashMissing],
  [
    'a field by an invalid name',
    { op: 'remove', path: '/fields/<b>' },
    "The item doesn't have that field.",
  ],
  [
    'an attribute of a section that a field does not have',
    { op: 'add', path: '/fields/username/section/id', value: 'more' },
    pathMissing,
  ],
  [
    'an attribute of a recipe, which stored fields do not have',
    { op: 'add', path: '/fields/pin/recipe/length', value: 8 },
    pathMissing,
  ],
  ['the item to remove', { op: 'remove', path: '' }, 'a patch cannot remove the whole item'],
]

const values: readonly InvalidOperation[] = [
  ...['/', '/fields/-', '/fields/pin/value'].map(
    (path): InvalidOperation => [
      `no value to add to ${path}`,
      { op: 'add', path },
      'needs a value',
    ],
  ),
  ['an undefined value', { op: 'replace', path: '/title', value: undefined }, 'needs a value'],
  ...[null, false, 0, '', 'text', [[]]].flatMap((value): InvalidOperation[] => [
    [
      `a whole item of ${JSON.stringify(value)}`,
      { op: 'replace', path: '/', value },
      'the value must be an item',
    ],
    [
      `a field of ${JSON.stringify(value)}`,
      { op: 'replace', path: '/fields/pin', value },
      'the value must be a field',
    ],
    [
      `a new field of ${JSON.stringify(value)}`,
      { op: 'add', path: '/fields/new', value },
      'the value must be a field',
    ],
    [
      `an appended field of ${JSON.stringify(value)}`,
      { op: 'add', path: '/fields/-', value },
      'the value must be a field',
    ],
  ]),
  ...[null, false, 0, '', 'text'].map(
    (value): InvalidOperation => [
      `fields of ${JSON.stringify(value)}`,
      { op: 'add', path: '/fields', value },
      'the value must be a field',
    ],
  ),
  [
    'a whole item that is too deep',
    { op: 'add', path: '/', value: { junk: nestedArray(32) } },
    'must not have a value of more than 32 levels',
  ],
  [
    'a long list as a field',
    { op: 'add', path: '/fields/pin', value: Array(1001).fill('x') },
    'the value must be a field',
  ],
  [
    'more tags than the limit',
    { op: 'add', path: '/tags', value: Array(101).fill('x') },
    'tags must be at most 100 elements long',
  ],
  [
    'more references to fields than the limit',
    {
      op: 'replace',
      path: '/',
      value: { category: 'LOGIN', fields: Array(1001).fill({ id: 'pin' }) },
    },
    'fields must be at most 1000 elements long',
  ],
]

const good = [
  { op: 'replace', path: '/title', value: 'Renamed' },
  { op: 'add', path: '/fields/username/value', value: 'other' },
]

describe.each([
  ['path', paths],
  ['missing path', missingPaths],
  ['value', values],
])('planPatch and applyPatch: an invalid %s', (_part, rejected) => {
  it.each(rejected)('rejects the whole patch for %s', async (_name, operation, reason) => {
    const harness = await createPatchHarness()
    const path = `("${operation.path}")`
    expect(await harness.rejection([operation])).toContain(`operation 0 ${path}: ${reason}`)
    expect(await harness.rejection([...good, operation])).toContain(
      `operation 2 ${path}: ${reason}`,
    )
  })
})
