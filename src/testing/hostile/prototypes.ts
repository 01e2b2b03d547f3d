/** Hostile names: members of `Object.prototype` in bodies, operations and paths. */

import { canary, type HostileRequest } from './hostile-case.js'

const items = '/v1/vaults/{vaultId}/items'
const item = `${items}/{itemId}`

const title = `"title":"${canary}"`
const bodies: readonly (readonly [name: string, body: string])[] = [
  ['__proto__', `{"__proto__":{"category":"LOGIN","vault":{"id":"{vaultId}"}},${title}}`],
  ['constructor.prototype', `{"constructor":{"prototype":{"category":"LOGIN"}},${title}}`],
]

const paths = [
  '/__proto__',
  '/__proto__/x',
  '/constructor',
  '/constructor/prototype/x',
  '/toString',
  '/tags/__proto__',
  '/fields/__proto__/x',
  '/fields/pin/__proto__',
  '/fields/pin/constructor/prototype',
]
const rename = { op: 'replace', path: '/title', value: canary }

/** Operations that follow a valid one. The patch must not be applied at all. */
const operations: readonly (readonly [name: string, operation: object, reason: string])[] = [
  ...['add', 'replace', 'remove'].flatMap((op) =>
    paths.map(
      (path) =>
        [
          `to ${op} ${path}`,
          { op, path, value: { [canary]: canary } },
          'is not a patchable path of an item',
        ] as const,
    ),
  ),
  ...['__proto__', 'constructor', 'toString'].map(
    (op) => [`of the kind ${op}`, { op, path: '/title', value: canary }, '1/op'] as const,
  ),
]

/** Requests with the name of a member of `Object.prototype`. */
export const hostilePrototypes: readonly HostileRequest[] = [
  ...bodies.flatMap(([name, body]) =>
    [
      ['POST', items],
      ['PUT', item],
    ].map(([method = '', target = '']) => ({
      name: `${method} with a category in ${name}`,
      method,
      target,
      body,
      status: 400,
      message: 'category',
    })),
  ),
  ...operations.map(([name, operation, reason]) => ({
    name: `a patch with an operation ${name}`,
    method: 'PATCH',
    target: item,
    json: [rename, operation],
    status: 400,
    message: reason,
  })),
]
