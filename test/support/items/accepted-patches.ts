/** Valid patches, each with its result. */

import type { Item } from '../../../src/index.js'
import { ofFields } from './accepted-field-patches.js'
import { pin, slash, username } from './patched-fields.js'

/** The behaviour, the patch, and the attributes that change; all others stay the same. */
export type Accepted = [name: string, patch: unknown[], changes: Partial<Item>]

const whole = { category: 'SERVER', title: 'Whole' } as const
const emptyItem = { ...whole, favorite: false, tags: [], urls: [], sections: [], fields: [] }

const examples: readonly Accepted[] = [
  [
    'updates attributes of the item',
    [
      { op: 'replace', path: '/favorite', value: true },
      { op: 'remove', path: '/tags/1' },
    ],
    { favorite: true, tags: ['work'] },
  ],
  [
    'modifies an attribute of a field',
    [
      { op: 'add', path: '/fields/pin/label', value: 'New field name' },
      { op: 'remove', path: '/fields/pin/value' },
    ],
    {
      fields: [
        username,
        slash,
        { id: 'pin', type: 'CONCEALED', label: 'New field name', section: { id: 'more' } },
      ],
    },
  ],
  [
    'modifies and removes fields',
    [
      {
        op: 'replace',
        path: '/fields/username',
        value: { type: 'CONCEALED', label: 'Replacement Title', value: 'new value' },
      },
      { op: 'remove', path: '/fields/pin' },
    ],
    {
      fields: [
        { id: 'username', type: 'CONCEALED', label: 'Replacement Title', value: 'new value' },
        slash,
      ],
    },
  ],
  ...['/', ''].map(
    (path): Accepted => [
      `replaces the whole item at ${JSON.stringify(path)}`,
      [
        {
          op: 'replace',
          path,
          value: {
            tags: ['tag'],
            title: 'New',
            favorite: true,
            category: 'LOGIN',
            vault: { id: 'z'.repeat(26) },
          },
        },
      ],
      { ...emptyItem, tags: ['tag'], title: 'New', favorite: true, category: 'LOGIN' },
    ],
  ),
]

const ofLists: readonly Accepted[] = [
  [
    'inserts a tag',
    [{ op: 'add', path: '/tags/1', value: 'new' }],
    { tags: ['work', 'new', 'mail'] },
  ],
  [
    'appends a tag at -',
    [{ op: 'add', path: '/tags/-', value: 'new' }],
    { tags: ['work', 'mail', 'new'] },
  ],
  [
    'appends a tag at the length',
    [{ op: 'add', path: '/tags/2', value: '' }],
    { tags: ['work', 'mail', ''] },
  ],
  ['replaces a tag', [{ op: 'replace', path: '/tags/0', value: 'new' }], { tags: ['new', 'mail'] }],
  ['replaces all tags', [{ op: 'add', path: '/tags', value: ['new'] }], { tags: ['new'] }],
  ['removes all tags', [{ op: 'remove', path: '/tags' }], { tags: [] }],
  [
    'changes an attribute of a URL',
    [
      { op: 'replace', path: '/urls/0/href', value: 'https://example.org/' },
      { op: 'remove', path: '/urls/0/label' },
      { op: 'replace', path: '/urls/0/primary', value: false },
    ],
    { urls: [{ href: 'https://example.org/', primary: false }] },
  ],
  [
    'inserts a URL',
    [{ op: 'add', path: '/urls/0', value: { href: 'https://a.example' } }],
    {
      urls: [
        { href: 'https://a.example' },
        { href: 'https://example.com/login', label: 'website', primary: true },
      ],
    },
  ],
  [
    'adds and renames sections',
    [
      { op: 'add', path: '/sections/-', value: { id: 'last' } },
      { op: 'replace', path: '/sections/0/label', value: 'Other' },
    ],
    {
      sections: [{ id: 'more', label: 'Other' }, { id: 'last' }],
    },
  ],
]

const ofAttributes: readonly Accepted[] = [
  ['sets an empty title', [{ op: 'replace', path: '/title', value: '' }], { title: '' }],
  [
    'sets the category',
    [{ op: 'add', path: '/category', value: 'CUSTOM' }],
    { category: 'CUSTOM' },
  ],
  [
    'sets what is true to false',
    [
      { op: 'replace', path: '/favorite', value: true },
      { op: 'replace', path: '/favorite', value: false },
    ],
    { favorite: false },
  ],
  [
    'sets an empty value of a field',
    [{ op: 'replace', path: '/fields/pin/value', value: '' }],
    { fields: [username, slash, { ...pin, value: '' }] },
  ],
  [
    'forgets a favorite that is removed',
    [{ op: 'remove', path: '/favorite' }],
    { favorite: false },
  ],
]

const ofTheWholeItem: readonly Accepted[] = [
  ['takes add for replace', [{ op: 'add', path: '/', value: whole }], emptyItem],
  [
    'ignores what the vault keeps',
    [
      {
        op: 'replace',
        path: '',
        value: {
          ...whole,
          id: 'z'.repeat(26),
          vault: { id: 'z'.repeat(26) },
          version: -7,
          state: 'DELETED',
          createdAt: '0001-01-01T00:00:00Z',
          updatedAt: '2030-01-01T00:00:00.123+01:00',
          lastEditedBy: 'mallory',
          files: [{ id: 'x' }],
        },
      },
    ],
    emptyItem,
  ],
  [
    'goes on with what absent attributes are afterwards',
    [
      { op: 'replace', path: '/', value: whole },
      { op: 'replace', path: '/favorite', value: true },
      { op: 'add', path: '/tags/-', value: 'first' },
      { op: 'add', path: '/fields/-', value: pin },
      { op: 'remove', path: '/fields/pin/section' },
      { op: 'add', path: '/urls/0', value: { href: 'https://a.example' } },
      { op: 'add', path: '/sections/0', value: { id: 's' } },
    ],
    {
      ...emptyItem,
      favorite: true,
      tags: ['first'],
      fields: [{ id: 'pin', type: 'CONCEALED', label: 'PIN', value: '1234' }],
      urls: [{ href: 'https://a.example' }],
      sections: [{ id: 's' }],
    },
  ],
  [
    'puts the field of the item where only its id is',
    [
      {
        op: 'replace',
        path: '/',
        value: { ...whole, fields: [{ id: 'a/b~c' }, { id: 'username' }] },
      },
    ],
    { ...emptyItem, fields: [slash, username] },
  ],
  [
    'puts the field there as an earlier operation left it',
    [
      { op: 'replace', path: '/fields/a~1b~0c/value', value: 'new' },
      { op: 'add', path: '/fields/n', value: { type: 'URL' } },
      { op: 'replace', path: '/', value: { ...whole, fields: [{ id: 'n' }, { id: 'a/b~c' }] } },
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
    'changes one of two references, not both',
    [
      { op: 'replace', path: '/', value: { ...whole, fields: [{ id: 'a/b~c' }, { id: 'a/b~c' }] } },
      { op: 'replace', path: '/fields/a~1b~0c/value', value: 'new' },
      { op: 'remove', path: '/fields/a~1b~0c' },
    ],
    { ...emptyItem, fields: [slash] },
  ],
]

/** The patches by topic. */
export const acceptedPatches: readonly [theme: string, accepted: readonly Accepted[]][] = [
  ['the published examples', examples],
  ['fields', ofFields],
  ['lists by index', ofLists],
  ['attributes', ofAttributes],
  ['the whole item', ofTheWholeItem],
]
