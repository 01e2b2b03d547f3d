/**
 * Hostile credentials: missing, malformed or unknown tokens, and callers without the permission.
 */

import { canary, type HostileRequest } from './hostile-case.js'

/** A malformed way to send a valid token. */
export interface InvalidCredentials {
  readonly name: string
  /** Creates the header lines from a valid token. */
  readonly lines: (token: string) => readonly string[]
  /** Creates the query string from a valid token. Default: no query. */
  readonly query?: (token: string) => string
  /** 400 if Node itself rejects the request. By default the vault returns 401. */
  readonly status?: 400
}

const bearerHeader = (token: string): string => `authorization: Bearer ${token}`
const tokenInQuery = (name: string): InvalidCredentials => ({
  name: `a token in the query as ${name}`,
  lines: () => [],
  query: (token) => `?${name}=${token}`,
})

/** Malformed credentials for every authenticator of bearer tokens. */
export const invalidCredentials: readonly InvalidCredentials[] = [
  { name: 'no Authorization', lines: () => [] },
  { name: 'an empty Authorization', lines: () => ['authorization:'] },
  { name: 'Bearer without a token', lines: () => ['authorization: Bearer'] },
  { name: 'the token without a scheme', lines: (token) => [`authorization: ${token}`] },
  {
    name: 'the scheme Basic',
    lines: (token) => [`authorization: Basic ${btoa(`wendy:${token}`)}`],
  },
  { name: 'the scheme Token', lines: (token) => [`authorization: Token ${token}`] },
  { name: 'the scheme DPoP', lines: (token) => [`authorization: DPoP ${token}`] },
  { name: 'no space after Bearer', lines: (token) => [`authorization: Bearer${token}`] },
  { name: 'a tab after Bearer', lines: (token) => [`authorization: Bearer\t${token}`] },
  { name: 'two tokens', lines: (token) => [`${bearerHeader(token)} ${token}`] },
  {
    name: 'two tokens separated by a comma',
    lines: (token) => [`${bearerHeader(token)}, Bearer ${token}`],
  },
  {
    name: 'two Authorization headers',
    lines: (token) => [bearerHeader(token), bearerHeader(token)],
  },
  {
    name: 'two Authorization headers, the first invalid',
    lines: (token) => [bearerHeader('a'), bearerHeader(token)],
  },
  {
    name: 'two Authorization headers, the last empty',
    lines: (token) => [bearerHeader(token), 'authorization:'],
  },
  { name: 'a quoted token', lines: (token) => [`authorization: Bearer "${token}"`] },
  { name: 'a token as a parameter', lines: (token) => [`authorization: Bearer token=${token}`] },
  { name: 'a token with a letter outside ASCII', lines: (token) => [bearerHeader(`${token}ä`)] },
  { name: 'a token with a percent escape', lines: (token) => [bearerHeader(`${token}%00`)] },
  {
    name: 'a header of 8,193 bytes, a valid token after spaces',
    lines: (token) => [`authorization: Bearer${token.padStart(8187)}`],
  },
  { name: 'a header of 8,193 bytes', lines: () => [bearerHeader('a'.repeat(8186))] },
  { name: 'a token with a NUL', status: 400, lines: (token) => [bearerHeader(`${token}\u0000`)] },
  {
    name: 'a token with a control character',
    status: 400,
    lines: (token) => [bearerHeader(`${token}\u0001`)],
  },
  {
    name: 'a token with an escape character',
    status: 400,
    lines: (token) => [bearerHeader(`\u001b${token}`)],
  },
  { name: 'a token with a tab', lines: (token) => [bearerHeader(`${token}\ta`)] },
  { name: 'a token in a cookie', lines: (token) => [`cookie: authorization=Bearer ${token}`] },
  { name: 'a token in X-Authorization', lines: (token) => [`x-authorization: Bearer ${token}`] },
  {
    name: 'a token in Proxy-Authorization',
    lines: (token) => [`proxy-authorization: Bearer ${token}`],
  },
  tokenInQuery('access_token'),
  tokenInQuery('token'),
  tokenInQuery('authorization'),
]

const unauthenticated: readonly HostileRequest[] = [
  ...invalidCredentials.map(
    ({ name, lines, query = () => '', status }): HostileRequest => ({
      name: `${name}, on DELETE of an item`,
      method: 'DELETE',
      target: `/v1/vaults/{vaultId}/items/{itemId}${query('{full}')}`,
      as: null,
      // Not the placeholder: the length of the token matters here.
      lines: lines('full-token'),
      status: status ?? 401,
      ...(status === undefined
        ? { message: 'Invalid bearer token' }
        : { mayBeRejectedUpstream: true }),
    }),
  ),
  {
    name: 'an unknown token',
    target: '/v1/vaults',
    as: null,
    lines: [`authorization: Bearer ${canary}`],
    status: 401,
  },
  {
    name: 'a token in upper case',
    target: '/v1/vaults',
    as: null,
    lines: ['authorization: Bearer FULL-TOKEN'],
    status: 401,
  },
]

const vault = '/v1/vaults/{vaultId}'
const item = `${vault}/items/{itemId}`
const draft = { category: 'LOGIN', vault: { id: '{vaultId}' } }

/** Every operation of the HTTP API: verb phrase, method, target and body. */
const calls: readonly (readonly [string, string, string, unknown?])[] = [
  ['create an item', 'POST', `${vault}/items`, draft],
  ['replace an item', 'PUT', item, draft],
  ['patch an item', 'PATCH', item, [{ op: 'add', path: '/title', value: canary }]],
  ['patch an item with an empty patch', 'PATCH', item, []],
  ['delete an item', 'DELETE', item],
  ['read an item', 'GET', item],
  ['read a vault', 'GET', vault],
  ['list the items', 'GET', `${vault}/items`],
  ['list the files', 'GET', `${item}/files`],
  ['read the details of a file', 'GET', `${item}/files/{smallFileId}`],
  ['download a file', 'GET', `${item}/files/{smallFileId}/content`],
]
const reads = calls.filter(([, method]) => method === 'GET')
const writes = calls.filter(([, method]) => method !== 'GET')
const readsAndWrites = calls.filter(([, method]) => method === 'PUT' || method === 'PATCH')

function forbidden(
  caller: string,
  as: 'reader' | 'writer' | 'otherVault',
  rows: typeof calls,
  vaultId = '{vaultId}',
  purpose = '',
): HostileRequest[] {
  return rows.map(([verb, method, target, json]) => ({
    name: `${caller} trying to ${verb}`,
    method,
    target: target.replace('{vaultId}', vaultId),
    as,
    ...(json !== undefined && { json }),
    status: 403,
    message: `vault ${vaultId} is not in scope${purpose}`,
  }))
}

const unauthorized: readonly HostileRequest[] = [
  ...forbidden('a caller of another vault', 'otherVault', calls),
  ...forbidden('a caller of another vault, in a missing vault,', 'otherVault', calls, '{absent}'),
  ...forbidden('a caller that can only read', 'reader', writes, '{vaultId}', ' for writing'),
  ...forbidden(
    'a caller that can only write',
    'writer',
    [...reads, ...readsAndWrites],
    '{vaultId}',
    ' for reading',
  ),
]

/** Requests with hostile credentials, or with a failing authenticator. */
export const hostileCredentials: readonly HostileRequest[] = [
  ...unauthenticated,
  ...unauthorized,
  {
    name: 'any caller while the authenticator fails',
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
    name: 'any caller while the authenticator hangs',
    target: item,
    status: 503,
    message: 'Service temporarily unavailable',
    setup: { http: { authenticationTimeoutMs: 30, authenticate: () => new Promise(() => {}) } },
  },
]
