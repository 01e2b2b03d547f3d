/** Conditions that are malformed or do not hold, races that are lost and stores that are out of order: list H. */

import { StorageUnavailableError } from '../../index.js'
import type { StoreCall } from '../faulty-store.js'
import { loginDraft } from '../item-drafts.js'
import { type HostileRequest, type HostileService, marker } from './hostile-case.js'

const vault = '/v1/vaults/{vaultId}'
const item = `${vault}/items/{itemId}`
const patch = [{ op: 'replace', path: '/title', value: marker }]

interface Call {
  readonly method: string
  readonly target: string
  readonly json?: unknown
}

const changes: readonly Call[] = [
  { method: 'PUT', target: item, json: loginDraft('{vaultId}') },
  { method: 'PATCH', target: item, json: patch },
  { method: 'DELETE', target: item },
]
const creation: Call = { method: 'POST', target: `${vault}/items`, json: loginDraft('{vaultId}') }

function conditional(tag: string, status: number): HostileRequest[] {
  return changes.map((change) => ({
    ...change,
    name: `${change.method} with If-Match: ${tag}`,
    lines: [`if-match: ${tag}`],
    status,
    message: status === 400 ? 'If-Match' : 'is not at the expected version',
  }))
}

const malformed = [
  '3',
  '"',
  '""3"',
  '"3',
  '3"',
  '"1", "3"',
  '*, "3"',
  'W/',
  'w/"3"',
  "'3'",
  '"ä"',
  '" 3"',
  '',
]
const stale = [
  '"1"',
  '"2"',
  '"4"',
  '"03"',
  '"3.0"',
  '"-3"',
  '"+3"',
  '"x"',
  '""',
  '"*"',
  'W/"3"',
  '"9007199254740993"',
]

function failing(fails: (call: StoreCall) => boolean, error: unknown): HostileService {
  return { faultOf: (call) => (fails(call) ? 'fail-before' : undefined), error }
}

const locked = new StorageUnavailableError(marker)
const broken = new Error(marker)

/** Each by a kind of call that it needs, and without which it can do nothing. */
const calls: readonly (readonly [needs: string, call: Call])[] = [
  ...['get', 'put'].flatMap((needs) => changes.map((change) => [needs, change] as const)),
  ['get', creation],
  ['put', creation],
  ['get', { method: 'GET', target: item }],
  ['get', { method: 'GET', target: vault }],
  ['list', { method: 'GET', target: `${vault}/items` }],
  ['list', { method: 'GET', target: '/v1/vaults' }],
  ['read', { method: 'GET', target: `${item}/files/{smallFileId}/content` }],
]

const failures: readonly HostileRequest[] = calls.flatMap(([needs, call]) => {
  const name = `${call.method} ${call.target.replaceAll(/\{(\w+)\}/g, '$1')}`
  const fails = ({ method }: StoreCall): boolean => method === needs
  return [
    {
      ...call,
      name: `${name} while the store is locked for ${needs}`,
      status: 503,
      message: 'Service temporarily unavailable',
      on: failing(fails, locked),
    },
    {
      ...call,
      name: `${name} while the store fails to ${needs}`,
      status: 500,
      message: 'Internal server error',
      on: failing(fails, broken),
    },
  ]
})

/** H. */
export const hostileConditions: readonly HostileRequest[] = [
  ...malformed.flatMap((tag) => conditional(tag, 400)),
  ...stale.flatMap((tag) => conditional(tag, 412)),
  ...failures,
  {
    method: 'PATCH',
    target: item,
    json: patch,
    name: 'a patch that others always come before',
    status: 409,
    message: 'has too many concurrent changes',
    on: { faultOf: ({ method }) => (method === 'put' ? 'conflict' : undefined) },
  },
  {
    name: 'a new vault under an id that is taken',
    method: 'POST',
    target: '/v1/vaults',
    json: { name: marker, vaultId: '{vaultId}' },
    status: 409,
    on: { http: { extensions: true } },
  },
]
