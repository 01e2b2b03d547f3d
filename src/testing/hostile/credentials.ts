/** Who asks in a wrong way, and who asks for what he may not: list A of the bad inputs. */

import { type HostileRequest, canary } from './hostile-case.js'

/** The lines and the target that are sent by who has a right token and spoils it. */
export interface InvalidCredentials {
  readonly name: string
  /** Header lines, given a right token. */
  readonly lines: (token: string) => readonly string[]
  /** What stands behind the path. */
  readonly query?: (token: string) => string
  /** What answers first, where it is not the vault: Node refuses such a request as a whole. */
  readonly status?: 400
}

const bearerHeader = (token: string): string => `authorization: Bearer ${token}`
const tokenInQuery = (name: string): InvalidCredentials => ({
  name: `a token in the query as ${name}`,
  lines: () => [],
  query: (token) => `?${name}=${token}`,
})

/** What is wrong around the token: for every authenticator that takes bearer tokens. */
export const invalidCredentials: readonly InvalidCredentials[] = [
  { name: 'no Authorization', lines: () => [] },
  { name: 'an empty Authorization', lines: () => ['authorization:'] },
  { name: 'Bearer alone', lines: () => ['authorization: Bearer'] },
  { name: 'the token alone', lines: (token) => [`authorization: ${token}`] },
  { name: 'Basic', lines: (token) => [`authorization: Basic ${btoa(`wendy:${token}`)}`] },
  { name: 'Token', lines: (token) => [`authorization: Token ${token}`] },
  { name: 'DPoP', lines: (token) => [`authorization: DPoP ${token}`] },
  { name: 'no space', lines: (token) => [`authorization: Bearer${token}`] },
  { name: 'a tab for the space', lines: (token) => [`authorization: Bearer\t${token}`] },
  { name: 'two tokens', lines: (token) => [`${bearerHeader(token)} ${token}`] },
  { name: 'two tokens and a comma', lines: (token) => [`${bearerHeader(token)}, Bearer ${token}`] },
  { name: 'two headers', lines: (token) => [bearerHeader(token), bearerHeader(token)] },
  { name: 'two headers, the first wrong', lines: (token) => [bearerHeader('a'), bearerHeader(token)] },
  { name: 'two headers, the last empty', lines: (token) => [bearerHeader(token), 'authorization:'] },
  { name: 'quotes', lines: (token) => [`authorization: Bearer "${token}"`] },
  { name: 'a parameter', lines: (token) => [`authorization: Bearer token=${token}`] },
  { name: 'a letter of another alphabet', lines: (token) => [bearerHeader(`${token}ä`)] },
  { name: 'a percent sign', lines: (token) => [bearerHeader(`${token}%00`)] },
  {
    name: '8,193 bytes, a right token behind blanks',
    lines: (token) => [`authorization: Bearer${token.padStart(8187)}`],
  },
  { name: '8,193 bytes', lines: () => [bearerHeader('a'.repeat(8186))] },
  { name: 'a NUL', status: 400, lines: (token) => [bearerHeader(`${token}\u0000`)] },
  { name: 'a control character', status: 400, lines: (token) => [bearerHeader(`${token}\u0001`)] },
  { name: 'an escape character', status: 400, lines: (token) => [bearerHeader(`\u001b${token}`)] },
  { name: 'a tab in it', lines: (token) => [bearerHeader(`${token}\ta`)] },
  { name: 'a cookie', lines: (token) => [`cookie: authorization=Bearer ${token}`] },
  { name: 'X-Authorization', lines: (token) => [`x-authorization: Bearer ${token}`] },
  { name: 'Proxy-Authorization', lines: (token) => [`proxy-authorization: Bearer ${token}`] },
  tokenInQuery('access_token'),
  tokenInQuery('token'),
  tokenInQuery('authorization'),
]

const unauthenticated: readonly HostileRequest[] = [
  ...invalidCredentials.map(
    ({ name, lines, query = () => '', status }): HostileRequest => ({
      name: `${name}, asking to delete an item`,
      method: 'DELETE',
      target: `/v1/vaults/{vaultId}/items/{itemId}${query('{full}')}`,
      as: null,
      // Not its name in braces: the length of a token counts here.
      lines: lines('full-token'),
      status: status ?? 401,
      ...(status === undefined ? { message: 'Invalid bearer token' } : { mayBeRejectedUpstream: true }),
    }),
  ),
  {
    name: 'a token that nobody has',
    target: '/v1/vaults',
    as: null,
    lines: [`authorization: Bearer ${canary}`],
    status: 401,
  },
  {
    name: 'a token in another letter case',
    target: '/v1/vaults',
    as: null,
    lines: ['authorization: Bearer FULL-TOKEN'],
    status: 401,
  },
]

const vault = '/v1/vaults/{vaultId}'
const item = `${vault}/items/{itemId}`
const draft = { category: 'LOGIN', vault: { id: '{vaultId}' } }

/** Each by what it is called, its method, its target and its body. */
const calls: readonly (readonly [string, string, string, unknown?])[] = [
  ['create an item', 'POST', `${vault}/items`, draft],
  ['replace an item', 'PUT', item, draft],
  ['patch an item', 'PATCH', item, [{ op: 'add', path: '/title', value: canary }]],
  ['patch an item with nothing', 'PATCH', item, []],
  ['delete an item', 'DELETE', item],
  ['read an item', 'GET', item],
  ['read a vault', 'GET', vault],
  ['list the items', 'GET', `${vault}/items`],
  ['list the files', 'GET', `${item}/files`],
  ['read the details of a file', 'GET', `${item}/files/{smallFileId}`],
  ['read a content', 'GET', `${item}/files/{smallFileId}/content`],
]
const reads = calls.filter(([, method]) => method === 'GET')
const writes = calls.filter(([, method]) => method !== 'GET')
const readsAndWrites = calls.filter(([, method]) => method === 'PUT' || method === 'PATCH')

function forbidden(
  who: string,
  as: 'reader' | 'writer' | 'otherVault',
  rows: typeof calls,
  vaultId = '{vaultId}',
  purpose = '',
): HostileRequest[] {
  return rows.map(([what, method, target, json]) => ({
    name: `${who} who asks to ${what}`,
    method,
    target: target.replace('{vaultId}', vaultId),
    as,
    ...(json !== undefined && { json }),
    status: 403,
    message: `vault ${vaultId} is not in scope${purpose}`,
  }))
}

const unauthorized: readonly HostileRequest[] = [
  ...forbidden('a stranger', 'otherVault', calls),
  ...forbidden('a stranger in no vault', 'otherVault', calls, '{absent}'),
  ...forbidden('a reader', 'reader', writes, '{vaultId}', ' for writing'),
  ...forbidden('a writer', 'writer', [...reads, ...readsAndWrites], '{vaultId}', ' for reading'),
]

/** A, and an authenticator that cannot say. */
export const hostileCredentials: readonly HostileRequest[] = [
  ...unauthenticated,
  ...unauthorized,
  {
    name: 'anybody while the authenticator fails',
    target: item,
    status: 503,
    message: 'Service temporarily unavailable',
    setup: {
      http: {
        authenticate: () => {
          throw new Error(canary)
        },
      },
    },
  },
  {
    name: 'anybody while the authenticator hangs',
    target: item,
    status: 503,
    message: 'Service temporarily unavailable',
    setup: { http: { authenticationTimeoutMs: 30, authenticate: () => new Promise(() => {}) } },
  },
]
