/** A process of the check `oauth`: calls an API with the tokens of a grant. */

import { setTimeout as sleep } from 'node:timers/promises'
import { isVaultError, type RecordStore, type VaultStore } from 'cofferkit'
import { createTokenKeeper } from 'cofferkit/oauth'
import { type Connection, findEngine } from '../support/stores.js'
import { handleRequests } from '../support/worker-process.js'
import { type BrokenVariant, breakKeeper } from './broken-variants.js'
import { type GrantPlace, openItems, openTable, type PlaceKind } from './grant-place.js'
import { type GrantTable, openTableOf } from './grant-table.js'
import { callApi, requestTokens } from './provider-server.js'

/** Request to this process. */
export interface CallRequest {
  readonly engine: string
  readonly address: string
  readonly url: string
  readonly place: PlaceKind
  /** The grant. */
  readonly ref: string
  /** The number of calls, one after another. */
  readonly calls: number
  /** The clock of this process is this much ahead. */
  readonly aheadMs: number
  /** The time between a look at the item and one at the lease. */
  readonly lookDelayMs: number
  /** True if the item or the row is changed during each refresh. */
  readonly isEdited: boolean
  readonly variant: BrokenVariant | undefined
}

/** The results of a process. */
export interface CallReport {
  readonly worked: number
  /** The code of each error, and `rejected` for each token that the API rejected. */
  readonly failures: readonly string[]
}

/** More than the time that a process can be without a turn on a busy machine. */
const leaseMs = 20_000
const maxPauseMs = 60

let connection: Promise<Connection> | undefined
let table: Promise<GrantTable> | undefined

handleRequests<CallRequest, CallReport>(
  async (request) => {
    connection ??= findEngine(request.engine).connect(request.address)
    return makeCalls(await connection, request)
  },
  async () => {
    await (await table)?.close()
    await (await connection)?.close()
  },
)

async function makeCalls({ store }: Connection, request: CallRequest): Promise<CallReport> {
  const { url, ref, aheadMs, lookDelayMs, isEdited, variant } = request
  const now = () => new Date(Date.now() + aheadMs)
  const { grants, edit } = await openPlace(store, request, now)
  const refresh = async (refreshToken: string) => {
    const tokens = await requestTokens(url, refreshToken)
    if (isEdited) await edit(ref)
    return tokens
  }
  const leases = delayReads(store.records, lookDelayMs)
  const keeper = createTokenKeeper(breakKeeper({ grants, leases, refresh, leaseMs, now }, variant))
  let worked = 0
  const failures: string[] = []
  for (let call = 0; call < request.calls; call++) {
    try {
      const token = await keeper.accessToken(ref)
      if (await callApi(url, token)) worked++
      else failures.push('rejected')
    } catch (error) {
      failures.push(isVaultError(error) ? error.code : String(error))
    }
    await sleep(Math.random() * maxPauseMs)
  }
  return { worked, failures }
}

async function openPlace(
  store: VaultStore,
  { place, engine, address }: CallRequest,
  now: () => Date,
): Promise<GrantPlace> {
  if (place === 'items') return openItems(store, now)
  table ??= openTableOf(engine, address)
  return openTable(await table, store)
}

/** Between a look at the item and one at the lease, a process can be without a turn. */
function delayReads(inner: RecordStore, delayMs: number): RecordStore {
  return {
    ...inner,
    async get(key) {
      await sleep(delayMs)
      return inner.get(key)
    },
  }
}
