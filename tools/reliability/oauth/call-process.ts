/** A process of the check `oauth`: calls an API with the tokens of a grant. */

import { setTimeout as sleep } from 'node:timers/promises'
import { createCaller, createVaultService, isVaultError, type RecordStore } from 'cofferkit'
import { createTokenKeeper } from 'cofferkit/oauth'
import { type Connection, findEngine } from '../support/stores.js'
import { handleRequests } from '../support/worker-process.js'
import { type BrokenVariant, breakKeeper } from './broken-variants.js'
import { callApi, requestTokens } from './provider-server.js'

/** Request to this process. */
export interface CallRequest {
  readonly engine: string
  readonly address: string
  readonly url: string
  readonly vaultId: string
  readonly itemId: string
  /** The number of calls, one after another. */
  readonly calls: number
  /** The clock of this process is this much ahead. */
  readonly aheadMs: number
  /** The time between a look at the item and one at the lease. */
  readonly lookDelayMs: number
  /** True if the tags of the item are changed during each refresh. */
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

const caller = createCaller('token-keeper', '*')
const editor = createCaller('editor', '*')
let connection: Promise<Connection> | undefined

handleRequests<CallRequest, CallReport>(
  async (request) => {
    connection ??= findEngine(request.engine).connect(request.address)
    return makeCalls(await connection, request)
  },
  async () => {
    await (await connection)?.close()
  },
)

async function makeCalls({ store }: Connection, request: CallRequest): Promise<CallReport> {
  const { url, vaultId, itemId, aheadMs, lookDelayMs, isEdited, variant } = request
  const ref = { vaultId, itemId }
  const now = () => new Date(Date.now() + aheadMs)
  const service = createVaultService({ store, now })
  const refresh = async (refreshToken: string) => {
    const tokens = await requestTokens(url, refreshToken)
    const patch = [{ op: 'add', path: '/tags', value: [String(Math.random())] }] as const
    if (isEdited) await service.patchItem(editor, { ...ref, patch })
    return tokens
  }
  const options = { leases: delayReads(store.records, lookDelayMs), caller, refresh, leaseMs }
  const parts = breakKeeper({ service, options }, variant)
  const keeper = createTokenKeeper(parts.service, parts.options)
  let worked = 0
  const failures: string[] = []
  for (let call = 0; call < request.calls; call++) {
    try {
      const token = await keeper.accessToken(caller, ref)
      if (await callApi(url, token)) worked++
      else failures.push('rejected')
    } catch (error) {
      failures.push(isVaultError(error) ? error.code : String(error))
    }
    await sleep(Math.random() * maxPauseMs)
  }
  return { worked, failures }
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
