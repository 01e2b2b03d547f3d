/** Hostile preconditions and failures: odd spellings of If-Match, lost races and failing stores. */

import { StorageUnavailableError } from '../../index.js'
import { itemDraft, type StoreCall } from '../../testing.js'
import { canary, type HostileRequest, type ServiceSetup } from './hostile-case.js'

const vault = '/v1/vaults/{vaultId}'
const item = `${vault}/items/{itemId}`
const patch = [{ op: 'replace', path: '/title', value: canary }]

interface Call {
  readonly method: string
  readonly target: string
  readonly json?: unknown
}

const changes: readonly Call[] = [
  { method: 'PUT', target: item, json: itemDraft('LOGIN', { vault: { id: '{vaultId}' } }) },
  { method: 'PATCH', target: item, json: patch },
  { method: 'DELETE', target: item },
]
const creation: Call = {
  method: 'POST',
  target: `${vault}/items`,
  json: itemDraft('LOGIN', { vault: { id: '{vaultId}' } }),
}

function conditional(tag: string, status: number): HostileRequest[] {
  return changes.map((change) => ({
    ...change,
    name: `${change.method} with If-Match: ${tag}`,
    lines: [`if-match: ${tag}`],
    status,
    message: status === 400 ? 'If-Match' : 'is not at the expected version',
  }))
}

const malformed = ['""3"', '3"', '*, "3"', 'W/', "'3'", '"ä"', '" 3"']
const stale = ['"4"', '"3.0"', '"-3"', '"+3"', '"*"', '"9007199254740993"']

function failingStore(fails: (call: StoreCall) => boolean, error: unknown): ServiceSetup {
  return { faultOf: (call) => (fails(call) ? 'fail-before' : undefined), error }
}

const locked = new StorageUnavailableError(canary)
const broken = new Error(canary)

/** Store methods, and calls that need them. */
const calls: readonly (readonly [storeMethod: string, call: Call])[] = [
  ...['get', 'put'].flatMap((storeMethod) =>
    changes.map((change) => [storeMethod, change] as const),
  ),
  ['get', creation],
  ['put', creation],
  ['get', { method: 'GET', target: item }],
  ['get', { method: 'GET', target: vault }],
  ['list', { method: 'GET', target: `${vault}/items` }],
  ['list', { method: 'GET', target: '/v1/vaults' }],
  ['read', { method: 'GET', target: `${item}/files/{smallFileId}/content` }],
]

const failures: readonly HostileRequest[] = calls.flatMap(([storeMethod, call]) => {
  const name = `${call.method} ${call.target.replaceAll(/\{(\w+)\}/g, '$1')}`
  const fails = ({ method }: StoreCall): boolean => method === storeMethod
  return [
    {
      ...call,
      name: `${name} while ${storeMethod} of the store is unavailable`,
      status: 503,
      message: 'Service temporarily unavailable',
      setup: failingStore(fails, locked),
    },
    {
      ...call,
      name: `${name} while ${storeMethod} of the store fails`,
      status: 500,
      message: 'Internal server error',
      setup: failingStore(fails, broken),
    },
  ]
})

/** Requests with a failing precondition, race or store. */
export const hostilePreconditions: readonly HostileRequest[] = [
  ...malformed.flatMap((tag) => conditional(tag, 400)),
  ...stale.flatMap((tag) => conditional(tag, 412)),
  ...failures,
  {
    method: 'PATCH',
    target: item,
    json: patch,
    name: 'a patch that always loses the race',
    status: 409,
    message: 'has too many concurrent changes',
    setup: { faultOf: ({ method }) => (method === 'put' ? 'conflict' : undefined) },
  },
]
