/** Hostile targets, methods, queries and request ids. */

import { itemDraft } from '../../testing.js'
import { canary, type HostileRequest } from './hostile-case.js'

const vault = '/v1/vaults/{vaultId}'
const item = `${vault}/items/{itemId}`
const file = `${item}/files/{smallFileId}`

const oddTargets: readonly HostileRequest[] = [
  ['dot segments', '/v1/../v1/vaults/{vaultId}'],
  ['one dot segment', '/v1/./vaults/{vaultId}'],
  ['dot segments at the end', `${item}/../../items`],
  ['encoded dot segments', '/v1/%2e%2e/v1/vaults/{vaultId}'],
  ['encoded dot segments in upper case', '/v1/%2E%2E/v1/vaults/{vaultId}'],
  ['half-encoded dot segments', '/v1/.%2e/v1/vaults/{vaultId}'],
  ['a dot segment before the id', `${vault}/items/./{itemId}`],
  ['an encoded slash', `${vault}/items%2f{itemId}`],
  ['an encoded slash in upper case', `${vault}/items%2F{itemId}`],
  ['a doubly encoded slash', `${vault}/items%252f{itemId}`],
  ['a backslash', `${vault}/items\\{itemId}`],
  ['an encoded backslash', `${vault}/items%5c{itemId}`],
  ['a doubled slash', `${vault}/items//{itemId}`],
  ['a doubled slash before the vaults', '/v1//vaults/{vaultId}'],
  ['three slashes', '///v1/vaults/{vaultId}'],
  ['two slashes at the end', `${item}//`],
  ['a percent sign at the end', `${item}%`],
  ['a percent sign with one digit', `${item}%4`],
  ['a percent sign without digits', `${item}%zz`],
  ['an encoded NUL', `${item}%00`],
  ['an overlong encoding of a slash', `${vault}/items%c0%af{itemId}`],
  ['an encoded letter', `/v1/v%61ults/{vaultId}`],
  ['a parameter of a segment', '/v1/vaults;a=b/{vaultId}'],
  ['an encoded question mark', `${file}%3finline_files=true`],
  ['an encoded line break', `${item}%0d%0ax-evil:%201`],
  ['a host in the path', '//evil.test/v1/vaults/{vaultId}'],
  ['a port in the path', '//:80/v1/vaults/{vaultId}'],
  ['upper case', `/V1/VAULTS/{vaultId}`],
  ['a space', `/v1/vaults/ {vaultId}`],
  ['a tab', `/v1/vaults/\t{vaultId}`],
  ['letters outside ASCII', `/v1/vaults/ä`],
].map(([name = '', target = '']) => ({
  name: `${name} in the target`,
  target,
  status: target.startsWith(`${item}%`) || /vaults\/ä/.test(target) ? 400 : 404,
  mayBeRejectedUpstream: true,
}))

const unknownPaths: readonly HostileRequest[] = [
  '/.git/config',
  '/v1/__proto__',
  '/v1/constructor',
  `/${canary}`,
  `/${'a/'.repeat(2000)}`,
].map((target) => ({
  name: `the path ${target.slice(0, 60)}`,
  target,
  status: 404,
  message: 'no such resource',
}))

/** Methods that a framework may answer itself, and the Allow header for them. */
const allowed: readonly HostileRequest[] = (
  [
    ['POST', '/v1/vaults', 'GET, HEAD'],
    ['OPTIONS', item, 'GET, HEAD, PUT, PATCH, DELETE'],
  ] as const
).map(([method, target, allow]) => ({
  name: `${method} on ${target}`,
  method,
  target,
  status: 405,
  headers: { allow },
}))

/** Headers and parameters that override the method are ignored. */
const overrides: readonly HostileRequest[] = [
  ...['x-http-method-override', 'x-http-method', 'x-method-override'].map((name) => ({
    name: `GET with ${name}: DELETE`,
    target: item,
    lines: [`${name}: DELETE`],
    status: 200,
  })),
  { name: 'GET with _method=DELETE', target: `${item}?_method=DELETE`, status: 200 },
  {
    name: 'POST with an override to DELETE',
    method: 'POST',
    target: item,
    lines: ['x-http-method-override: DELETE'],
    json: {},
    status: 405,
    headers: { allow: 'GET, HEAD, PUT, PATCH, DELETE' },
  },
]

const queries: readonly HostileRequest[] = [
  ...['true%00', '%zz', 'true,true'].map((value) => ({
    name: `inline_files=${value}`,
    target: `${file}?inline_files=${value}`,
    status: 400,
    message: 'inline_files must',
  })),
  ...[
    ['an open quote', `title eq "${canary}`],
    ['U+0000', `title eq "${canary}\0"`],
    ['SQL', `title eq "x" or 1=1 -- ${canary}`],
  ].map(([name = '', filter = '']) => ({
    name: `a filter with ${name}`,
    target: `${vault}/items?filter=${encodeURIComponent(filter)}`,
    status: 400,
    message: 'filter',
  })),
]

const requestIds: readonly HostileRequest[] = [
  ['spaces', 'a b'],
  ['brackets', '<script>'],
  ['129 characters', 'a'.repeat(129)],
  ['two values', 'a\r\nx-request-id: b'],
  ['a letter outside ASCII', 'ä'],
  ['no characters', ''],
].map(([name = '', id = '']) => ({
  name: `an X-Request-Id with ${name}, with a new id`,
  target: item,
  lines: [`x-request-id: ${id}`],
  status: 200,
}))

const draft = itemDraft('LOGIN', { vault: { id: '{vaultId}' } })

/** Requests with a hostile target, method, query or request id. */
export const hostileTargets: readonly HostileRequest[] = [
  ...oddTargets,
  ...unknownPaths,
  ...allowed,
  ...overrides,
  ...queries,
  ...requestIds,
  {
    name: 'HEAD of an item, without a body',
    method: 'HEAD',
    target: item,
    status: 200,
  },
  {
    name: 'HEAD of a missing item, without a body',
    method: 'HEAD',
    target: `${vault}/items/{absent}`,
    status: 404,
  },
  {
    name: 'HEAD of a download, without a body',
    method: 'HEAD',
    target: `${file}/content`,
    status: 200,
    headers: { 'content-type': 'application/octet-stream', 'content-length': '5' },
  },
  {
    name: 'a client that disconnects in the middle of a new item',
    method: 'POST',
    target: `${vault}/items`,
    lines: ['content-length: 100000'],
    json: draft,
    status: 0,
    disconnects: true,
  },
  {
    name: 'a client that disconnects in the middle of a chunked patch',
    method: 'PATCH',
    target: item,
    lines: ['transfer-encoding: chunked'],
    body: '35\r\n[{"op":"add","path":"/title","value":"hello world"}  \r\n',
    status: 0,
    disconnects: true,
  },
]
