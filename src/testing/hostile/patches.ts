/** Patches of which one operation is bad, so that nothing of them may be done: list F of the bad inputs. */

import type { PatchOperation } from '../../index.js'
import { type HostileRequest, canary } from './hostile-case.js'
import { invalidItems } from './items.js'
import { invalidOperations } from './patch-operations.js'

/** Patches that no item takes, by what is wrong with them. */
export function invalidPatches(marker: string, vaultId: string): Record<string, unknown> {
  const add = (path: string, value: unknown): PatchOperation => ({ op: 'add', path, value })
  const good = add('/title', marker)
  const nested = JSON.parse(`${'['.repeat(40)}"${marker}"${']'.repeat(40)}`)
  // What an item says of its vault is ignored in a patch: the vault keeps it.
  const items = Object.entries(invalidItems(marker, vaultId)).filter(([what]) => !/ vault\b/.test(what))
  return {
    'no list': { [marker]: marker },
    'a text': marker,
    'a list of texts': [marker],
    'an unknown operation': [good, { op: marker, path: '/title', value: marker }],
    'no path': [good, { op: 'add', value: marker, [marker]: marker }],
    'a path of members': [good, { op: 'add', path: { [marker]: marker }, value: marker }],
    'no value': [good, { op: 'add', path: '/title', [marker]: marker, from: marker }],
    'a place that is not there': [good, { op: 'replace', path: '/tags/9', value: marker }],
    'a field that is not there': [
      good,
      { op: 'replace', path: '/fields/none/value', value: marker },
    ],
    'what the vault keeps': [good, add('/version', marker)],
    'a prototype': [good, add('/__proto__/x', marker)],
    'too many operations': Array(257).fill(good),
    'a value that is too deep': [good, add('/tags', nested)],
    'a text for the item': [good, add('', marker)],
    'a text for a field': [good, add('/fields/-', marker)],
    'an unknown category': [good, add('/category', marker)],
    'an unknown type': [good, add('/fields/-', { id: 'x', type: marker, [marker]: marker })],
    'an unknown purpose': [good, add('/fields/password/purpose', marker)],
    'through a text': [
      good,
      add('/fields/password/value', { [marker]: marker }),
      add('/tags/0', [marker]),
    ],
    ...Object.fromEntries(items.map(([what, item]) => [`an item with ${what}`, [add('', item)]])),
  }
}

const item = '/v1/vaults/{vaultId}/items/{itemId}'
const good = { op: 'replace', path: '/title', value: canary }

const invalidDocuments: readonly unknown[] = ['[]', {}, null, 5, true, [null], [[]], ['add'], [good, null]]
/** What is no name of an operation of a patch. */
export const invalidOps: readonly unknown[] = [
  undefined,
  null,
  '',
  'move',
  'copy',
  'test',
  '_get',
  'ADD',
  'Replace',
  'toString',
  'constructor',
  '__proto__',
  0,
  {},
]
const invalidPaths = [
  'title',
  'fields/pin',
  '#/title',
  '~1title',
  '\n/title',
  '/~',
  '/fields/~2',
  null,
  5,
  ['title'],
]

/** Each by what it is called. */
const patches: readonly (readonly [name: string, patch: unknown, message?: string])[] = [
  ...Object.entries(invalidPatches(canary, '{vaultId}')),
  ...invalidDocuments.map((whole) => [`the patch ${JSON.stringify(whole)}`, whole] as const),
  ...invalidOps.map(
    (op) =>
      [
        `the op ${JSON.stringify(op)}`,
        [good, { op, path: '/title', value: canary }],
        '1/op',
      ] as const,
  ),
  ...invalidPaths.map(
    (path) => [`the path ${JSON.stringify(path)}`, [good, { op: 'remove', path }]] as const,
  ),
  ...invalidOperations.flatMap(([theme, refused]) =>
    refused
      // JSON has no undefined, and a body of too many levels is refused before its patch is looked at.
      .filter(([, { value }, reason]) => !/ undefined | levels/.test(reason) && value !== undefined)
      .map(
        ([name, operation, reason]) =>
          [
            `a bad ${theme}, ${name}`,
            [good, operation],
            `operation 1 (${JSON.stringify(operation.path)}): ${reason}`,
          ] as const,
      ),
  ),
  [
    'a last operation that is bad, of 256',
    [...Array(255).fill(good), { op: 'remove', path: '/id' }],
    'operation 255',
  ],
]

/** F. */
export const hostilePatches: readonly HostileRequest[] = patches.map(
  ([name, json, message = '']) => ({
    name: `a patch with ${name}`,
    method: 'PATCH',
    target: item,
    json,
    status: 400,
    message,
  }),
)
