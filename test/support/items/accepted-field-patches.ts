/** Valid patches of fields, each with its result. */

import type { Accepted } from './accepted-patches.js'
import { pin, slash, username } from './patched-fields.js'

/** The patches of fields. */
export const ofFields: readonly Accepted[] = [
  [
    'finds a field by id after an earlier operation moved it',
    [
      { op: 'remove', path: '/fields/username' },
      { op: 'replace', path: '/fields/pin/value', value: '9' },
    ],
    { fields: [slash, { ...pin, value: '9' }] },
  ],
  [
    'finds a field that an earlier operation added',
    [
      { op: 'add', path: '/fields', value: { id: 'new', type: 'URL' } },
      { op: 'add', path: '/fields/new/label', value: 'New' },
      { op: 'remove', path: '/fields/username' },
      { op: 'add', path: '/fields/new/value', value: 'x' },
    ],
    { fields: [slash, pin, { id: 'new', type: 'URL', label: 'New', value: 'x' }] },
  ],
  [
    'reads the escapes in the id of a field',
    [{ op: 'replace', path: '/fields/a~1b~0c/value', value: '2' }],
    { fields: [username, { ...slash, value: '2' }, pin] },
  ],
  [
    'removes a field whose id needs escapes',
    [{ op: 'remove', path: '/fields/a~1b~0c' }],
    { fields: [username, pin] },
  ],
  [
    'never takes the id of a field for its place',
    [{ op: 'add', path: '/fields/0', value: { type: 'STRING', value: 'zero' } }],
    { fields: [username, slash, pin, { id: '0', type: 'STRING', value: 'zero' }] },
  ],
  [
    'replaces all fields by an added list',
    [{ op: 'add', path: '/fields', value: [pin, { id: 'x', type: 'MENU' }] }],
    { fields: [pin, { id: 'x', type: 'MENU' }] },
  ],
  [
    'replaces all fields by a list',
    [{ op: 'replace', path: '/fields', value: [pin] }],
    { fields: [pin] },
  ],
  ['removes all fields', [{ op: 'remove', path: '/fields' }], { fields: [] }],
  [
    'adds a list where the fields were removed',
    [
      { op: 'remove', path: '/fields' },
      { op: 'add', path: '/fields', value: [] },
      { op: 'add', path: '/fields/-', value: pin },
    ],
    { fields: [pin] },
  ],
  [
    'appends a field at -',
    [{ op: 'add', path: '/fields/-', value: { id: 'x', type: 'MENU' } }],
    { fields: [username, slash, pin, { id: 'x', type: 'MENU' }] },
  ],
  [
    'changes a field that is called -',
    [
      { op: 'add', path: '/fields', value: { id: '-', type: 'STRING' } },
      { op: 'replace', path: '/fields/-', value: { type: 'URL' } },
      { op: 'add', path: '/fields/-/label', value: 'Dash' },
    ],
    { fields: [username, slash, pin, { id: '-', type: 'URL', label: 'Dash' }] },
  ],
  [
    'creates a field of a new id, whatever id the value has',
    [{ op: 'add', path: '/fields/new', value: { id: 'other', type: 'STRING' } }],
    { fields: [username, slash, pin, { id: 'new', type: 'STRING' }] },
  ],
  [
    'replaces a field that is there when it is added, in its place',
    [{ op: 'add', path: '/fields/username', value: { id: 'other', type: 'URL', value: 'x' } }],
    { fields: [{ id: 'username', type: 'URL', value: 'x' }, slash, pin] },
  ],
  [
    'keeps the id and the place of a replaced field',
    [{ op: 'replace', path: '/fields/a~1b~0c', value: { id: 'a/b~c', type: 'URL' } }],
    { fields: [username, { id: 'a/b~c', type: 'URL' }, pin] },
  ],
  ...['add', 'replace'].map(
    (op): Accepted => [
      `keeps a field that ${op} only refers to, and moves it to a section that is sent`,
      [
        { op, path: '/fields/a~1b~0c', value: {} },
        { op, path: '/fields/pin', value: { id: 'pin' } },
        { op, path: '/fields/username', value: { section: { id: 'more' } } },
      ],
      { fields: [{ ...username, section: { id: 'more' } }, slash, pin] },
    ],
  ),
  [
    'keeps the fields that a list only refers to, without a section that is gone',
    [
      { op: 'remove', path: '/sections' },
      { op: 'replace', path: '/fields', value: [{ id: 'pin' }, { id: 'x', type: 'URL' }, slash] },
      { op: 'add', path: '/fields', value: [{ id: 'a/b~c' }, { id: 'pin' }] },
    ],
    {
      sections: [],
      fields: [slash, { id: 'pin', type: 'CONCEALED', label: 'PIN', value: '1234' }],
    },
  ],
  [
    'changes and removes the section of a field',
    [
      { op: 'add', path: '/fields/username/section', value: { id: 'more' } },
      { op: 'remove', path: '/fields/pin/section/id' },
      { op: 'remove', path: '/fields/pin/label' },
    ],
    {
      fields: [
        { ...username, section: { id: 'more' } },
        slash,
        { id: 'pin', type: 'CONCEALED', value: '1234', section: {} },
      ],
    },
  ],
  ...['constructor', '__proto__', 'toString', ''].map(
    (id): Accepted => [
      `takes ${JSON.stringify(id)} for the id of a field like any other`,
      [
        { op: 'add', path: `/fields/${id}`, value: { type: 'STRING' } },
        { op: 'add', path: `/fields/${id}/value`, value: 'x' },
      ],
      { fields: [username, slash, pin, { id, type: 'STRING', value: 'x' }] },
    ],
  ),
]
