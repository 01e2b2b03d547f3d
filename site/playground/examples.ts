/** The examples of the playground. */

/** An item and a patch to begin with. */
export interface Example {
  /** The fragment of the page's URL that opens the example. */
  readonly id: string
  readonly name: string
  /** One sentence about the patch. */
  readonly note: string
  readonly item: string
  readonly patch: string
  /** The option `strict` of the service; false if absent. */
  readonly isStrict?: boolean
}

const router = `{
  "category": "LOGIN",
  "title": "Office router",
  "tags": ["office"],
  "urls": [{ "href": "https://router.example/", "primary": true }],
  "sections": [{ "id": "recovery", "label": "Recovery" }],
  "fields": [
    { "id": "username", "type": "STRING", "purpose": "USERNAME", "value": "admin" },
    { "id": "password", "type": "CONCEALED", "purpose": "PASSWORD", "value": "correct horse" },
    { "id": "pin", "type": "CONCEALED", "label": "PIN", "value": "4711" }
  ]
}`

/** The examples, in the order of the page. The first one is shown first. */
export const examples: readonly [Example, ...Example[]] = [
  {
    id: 'rename',
    name: 'Rename',
    note: '“replace” needs a title that exists; “add” sets it in either case.',
    item: router,
    patch: '[\n  { "op": "replace", "path": "/title", "value": "Front desk router" }\n]',
  },
  {
    id: 'add-tag',
    name: 'Add a tag',
    note: '“-” is the end of a list; “/tags/0” inserts at the beginning.',
    item: router,
    patch: '[\n  { "op": "add", "path": "/tags/-", "value": "network" }\n]',
  },
  {
    id: 'find-field',
    name: 'Find a field by its id',
    note: 'A field is found by its id, wherever it is in the list.',
    item: router,
    patch: `[
  { "op": "replace", "path": "/fields/pin/value", "value": "0815" },
  { "op": "replace", "path": "/fields/pin/label", "value": "Door PIN" }
]`,
  },
  {
    id: 'regenerate',
    name: 'Regenerate a password',
    note: 'Only a missing value is generated, so the old one is removed first. The recipe is not stored, the entropy is.',
    item: router,
    patch: `[
  { "op": "remove", "path": "/fields/password/value" },
  {
    "op": "add",
    "path": "/fields/password/recipe",
    "value": { "length": 20, "characterSets": ["LETTERS", "DIGITS"] }
  },
  { "op": "add", "path": "/fields/password/generate", "value": true }
]`,
  },
  {
    id: 'remove-field',
    name: 'Remove a field',
    note: 'A field that does not exist cannot be removed: that is a 400.',
    item: router,
    patch: '[\n  { "op": "remove", "path": "/fields/pin" }\n]',
  },
  {
    id: 'move-field',
    name: 'Move a field to a section',
    note: 'The section is created in the same patch. The value of the field is neither read nor sent.',
    item: router,
    patch: `[
  { "op": "add", "path": "/sections/-", "value": { "id": "door", "label": "Door" } },
  { "op": "add", "path": "/fields/pin/section", "value": { "id": "door" } }
]`,
  },
  {
    id: 'failure',
    name: 'A patch that fails',
    note: 'The second operation names a field that does not exist. All operations apply or none, so the tag is not added.',
    item: router,
    patch: `[
  { "op": "add", "path": "/tags/-", "value": "network" },
  { "op": "replace", "path": "/fields/pni/value", "value": "0815" }
]`,
  },
  {
    id: 'rule',
    name: 'A patch that breaks a rule',
    note: 'Each operation can be applied, but the resulting item must keep the rules, too: February has no 30th.',
    item: router,
    patch: `[
  {
    "op": "add",
    "path": "/fields/-",
    "value": { "id": "expires", "type": "DATE", "value": "2030-02-30" }
  }
]`,
  },
  {
    id: 'strict',
    name: 'A misspelt attribute',
    note: 'A strict service rejects attributes that it does not know. Others ignore them: clear the check box.',
    item: router.replace('"label": "PIN"', '"lable": "PIN"'),
    patch: '[\n  { "op": "add", "path": "/favorite", "value": true }\n]',
    isStrict: true,
  },
]
