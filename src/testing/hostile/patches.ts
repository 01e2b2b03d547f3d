/** Hostile patches: one operation is invalid, so no operation can be applied. */

import type { PatchOperation } from '../../index.js'
import { canary, type HostileRequest } from './hostile-case.js'
import { invalidItems } from './items.js'
import { invalidOperations } from './patch-operations.js'

/** Creates invalid patches, by a noun phrase for the defect, with `marker` in their values. */
export function invalidPatches(marker: string, vaultId: string): Record<string, unknown> {
  const add = (path: string, value: unknown): PatchOperation => ({ op: 'add', path, value })
  const good = add('/title', marker)
  const nested = JSON.parse(`${'['.repeat(40)}"${marker}"${']'.repeat(40)}`)
  // The vault of an item is ignored in a patch.
  const items = Object.entries(invalidItems(marker, vaultId)).filter(
    ([what]) => !/ vault\b/.test(what),
  )
  return {
    'an object in its place': { [marker]: marker },
    'a string in its place': marker,
    'a list of strings': [marker],
    'an unknown operation': [good, { op: marker, path: '/title', value: marker }],
    'no path': [good, { op: 'add', value: marker, [marker]: marker }],
    'an object as path': [good, { op: 'add', path: { [marker]: marker }, value: marker }],
    'no value': [good, { op: 'add', path: '/title', [marker]: marker, from: marker }],
    'a missing path': [good, { op: 'replace', path: '/tags/9', value: marker }],
    'a missing field': [good, { op: 'replace', path: '/fields/none/value', value: marker }],
    'a read-only attribute': [good, add('/version', marker)],
    'a prototype': [good, add('/__proto__/x', marker)],
    'too many operations': Array(257).fill(good),
    'a value that is too deep': [good, add('/tags', nested)],
    'a string as item': [good, add('', marker)],
    'a string as field': [good, add('/fields/-', marker)],
    'an unknown category': [good, add('/category', marker)],
    'an unknown type': [good, add('/fields/-', { id: 'x', type: marker, [marker]: marker })],
    'an unknown purpose': [good, add('/fields/password/purpose', marker)],
    'a path through a string': [
      good,
      add('/fields/password/value', { [marker]: marker }),
      add('/tags/0', [marker]),
    ],
    ...Object.fromEntries(items.map(([what, item]) => [`an item with ${what}`, [add('', item)]])),
  }
}

const item = '/v1/vaults/{vaultId}/items/{itemId}'
const good = { op: 'replace', path: '/title', value: canary }

const invalidDocuments: readonly unknown[] = [
  '[]',
  {},
  null,
  5,
  true,
  [null],
  [[]],
  ['add'],
  [good, null],
]
/** Invalid values of `op`. */
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

/** The patches: name, patch and a part of the message. */
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
  ...invalidOperations.flatMap(([part, operations]) =>
    operations
      // JSON has no undefined, and a body of too many levels is rejected before the patch is
      // parsed.
      .filter(([, { value }, reason]) => !/ undefined | levels/.test(reason) && value !== undefined)
      .map(
        ([name, operation, reason]) =>
          [
            `an invalid ${part}, ${name}`,
            [good, operation],
            `operation 1 (${JSON.stringify(operation.path)}): ${reason}`,
          ] as const,
      ),
  ),
  [
    'an invalid last operation of 256',
    [...Array(255).fill(good), { op: 'remove', path: '/id' }],
    'operation 255',
  ],
]

/** Requests with an invalid patch. */
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
