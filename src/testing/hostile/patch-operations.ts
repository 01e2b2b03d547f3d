/** Patch operations that are invalid by themselves, or on the item of `loginDraft`. */

/** An invalid operation, and the error message for it. */
export type InvalidOperation = [
  name: string,
  operation: { readonly op: string; readonly path: string; readonly value?: unknown },
  reason: string,
]

const notPatchable = 'is not a patchable path of an item'
const pathMissing = 'path does not exist'
const fieldMissing = "The item doesn't have a lost field."
const field = { type: 'STRING' }
const nestedArray = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

const targets: readonly InvalidOperation[] = [
  ...['id', 'version', 'vault', 'createdAt', 'updatedAt', 'lastEditedBy', 'state', 'files'].flatMap(
    (name): InvalidOperation[] =>
      ['add', 'replace', 'remove'].map((op) => [
        `to ${op} /${name}`,
        { op, path: `/${name}`, value: 1 },
        notPatchable,
      ]),
  ),
  ...['/vault/id', '/files/0', '/fields/pin/id', '/fields/pin/entropy'].map(
    (path): InvalidOperation => [path, { op: 'replace', path, value: 'x' }, notPatchable],
  ),
  ...[
    '/constructor',
    '/__proto__',
    '/__proto__/x',
    '/constructor/prototype/x',
    '/toString',
  ].flatMap((path): InvalidOperation[] =>
    ['add', 'replace', 'remove'].map((op) => [
      `to ${op} ${path}`,
      { op, path, value: {} },
      notPatchable,
    ]),
  ),
  ...[
    '/fields/__proto__/x',
    '/fields/pin/__proto__',
    '/fields/pin/constructor/prototype',
    '/titel',
    '//',
    '/title/0',
  ]
    .concat([
      '/tags/01',
      '/tags/-1',
      '/tags/1e0',
      '/tags/x',
      '/tags/0/x',
      '/urls/00/href',
      '/sections/more',
    ])
    .map((path): InvalidOperation => [path, { op: 'add', path, value: 'x' }, notPatchable]),
  [
    'a path with an invalid escape',
    { op: 'add', path: '/fields/~2', value: {} },
    'is not a JSON Pointer',
  ],
]

const missingPaths: readonly InvalidOperation[] = [
  ['a tag past the end', { op: 'replace', path: '/tags/2', value: 'x' }, pathMissing],
  ['a tag to remove past the end', { op: 'remove', path: '/tags/2' }, pathMissing],
  ['a tag to add past the end', { op: 'add', path: '/tags/3', value: 'x' }, pathMissing],
  [
    'a tag index that overflows 32 bits',
    { op: 'replace', path: '/tags/4294967297', value: 'x' },
    pathMissing,
  ],
  [
    'a tag index beyond the safe integers',
    { op: 'add', path: '/tags/9007199254740993', value: 'x' },
    notPatchable,
  ],
  ['a tag to remove at -', { op: 'remove', path: '/tags/-' }, pathMissing],
  ['a tag to replace at -', { op: 'replace', path: '/tags/-', value: 'x' }, pathMissing],
  [
    'an attribute of a URL past the end',
    { op: 'add', path: '/urls/1/label', value: 'x' },
    pathMissing,
  ],
  ['an attribute of a URL at -', { op: 'add', path: '/urls/-/label', value: 'x' }, pathMissing],
  ['a section past the end', { op: 'remove', path: '/sections/1' }, pathMissing],
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
  ['a field by its index', { op: 'remove', path: '/fields/0' }, "The item doesn't have a 0 field."],
  [
    'a field with the name of an inherited member',
    { op: 'remove', path: '/fields/constructor' },
    "The item doesn't have a constructor field.",
  ],
  [
    'a field to remove at -',
    { op: 'remove', path: '/fields/-' },
    "The item doesn't have a - field.",
  ],
  [
    'a field to replace at -',
    { op: 'replace', path: '/fields/-', value: field },
    "The item doesn't have a - field.",
  ],
  [
    'an attribute of a field at -',
    { op: 'add', path: '/fields/-/label', value: 'x' },
    "The item doesn't have a - field.",
  ],
  [
    'a field by an invalid name',
    { op: 'remove', path: '/fields/<b>' },
    "The item doesn't have that field.",
  ],
  [
    'an attribute that a field does not have',
    { op: 'remove', path: '/fields/username/section' },
    pathMissing,
  ],
  [
    'an attribute to replace that a field does not have',
    { op: 'replace', path: '/fields/username/section', value: {} },
    pathMissing,
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
  ['the item to remove', { op: 'remove', path: '/' }, 'is the item itself and cannot be removed'],
  [
    'the item to remove at ""',
    { op: 'remove', path: '' },
    'is the item itself and cannot be removed',
  ],
]

const values: readonly InvalidOperation[] = [
  ...[
    '/title',
    '',
    '/',
    '/fields',
    '/fields/pin',
    '/fields/-',
    '/tags/0',
    '/fields/pin/value',
  ].flatMap((path): InvalidOperation[] => [
    [`no value to add to ${path}`, { op: 'add', path }, 'needs a value'],
    [
      `an undefined value to replace ${path}`,
      { op: 'replace', path, value: undefined },
      'needs a value',
    ],
  ]),
  ...[null, false, 0, '', 'text', [[]]].flatMap((value): InvalidOperation[] => [
    [
      `a whole item of ${JSON.stringify(value)}`,
      { op: 'replace', path: '/', value },
      'must be given an item',
    ],
    [
      `a field of ${JSON.stringify(value)}`,
      { op: 'replace', path: '/fields/pin', value },
      'must be given a field',
    ],
    [
      `a new field of ${JSON.stringify(value)}`,
      { op: 'add', path: '/fields/new', value },
      'must be given a field',
    ],
    [
      `an appended field of ${JSON.stringify(value)}`,
      { op: 'add', path: '/fields/-', value },
      'must be given a field',
    ],
  ]),
  ...[null, false, 0, '', 'text'].map(
    (value): InvalidOperation => [
      `fields of ${JSON.stringify(value)}`,
      { op: 'add', path: '/fields', value },
      'must be given a field',
    ],
  ),
  [
    'a value that is too deep',
    { op: 'add', path: '/title', value: nestedArray(33) },
    'must not have a value of more than 32 levels',
  ],
  [
    'a whole item that is too deep',
    { op: 'add', path: '/', value: { junk: nestedArray(32) } },
    'must not have a value of more than 32 levels',
  ],
  [
    'a reference to a missing field',
    { op: 'replace', path: '/', value: { category: 'LOGIN', fields: [{ id: 'lost' }] } },
    fieldMissing,
  ],
  [
    'a long list in place of a field',
    { op: 'add', path: '/fields/pin', value: Array(1001).fill('x') },
    'must be given a field',
  ],
  [
    'more tags than the limit',
    { op: 'add', path: '/tags', value: Array(101).fill('x') },
    'tags must be at most 100 elements long',
  ],
  [
    'more fields than the limit',
    {
      op: 'replace',
      path: '/',
      value: { category: 'LOGIN', fields: Array(1001).fill({ id: 'pin' }) },
    },
    'fields must be at most 1000 elements long',
  ],
]

/** The invalid operations, by the part that is invalid. */
export const invalidOperations: readonly [part: string, operations: readonly InvalidOperation[]][] =
  [
    ['path', targets],
    ['missing path', missingPaths],
    ['value', values],
  ]
