/**
 * A process that refreshes a grant and, at one step, kills or stops itself. On its standard output
 * it reports the step before that, and otherwise the steps and the result.
 */

import { writeSync } from 'node:fs'
import { createCaller, createVaultService, isVaultError, type RecordStore } from 'cofferkit'
import { createTokenKeeper } from 'cofferkit/oauth'
import { openSqliteStore } from 'cofferkit/sqlite'
import { breakKeeper } from './broken-variants.js'
import { readLeaseState } from './lease-state.js'
import { requestTokens } from './provider-server.js'

/** Options of a holder, passed as JSON in its first argument. */
export interface HolderOptions {
  readonly path: string
  readonly url: string
  readonly vaultId: string
  readonly itemId: string
  /** The number of the step, from 0; no step if there are fewer. */
  readonly step: number
  readonly signal: 'SIGKILL' | 'SIGSTOP'
  readonly leaseMs: number
  readonly hasLease: boolean
}

/** A line of the output. */
export type HolderReport =
  | { readonly at: string }
  | { readonly steps: readonly string[]; readonly token?: string; readonly error?: string }

const { path, url, vaultId, itemId, step, signal, leaseMs, hasLease }: HolderOptions = JSON.parse(
  process.argv[2] ?? '',
)
const steps: string[] = []

const store = await openSqliteStore(path)
const records: RecordStore = {
  ...store.records,
  get: (key) => withSteps(`read of ${nameOf(key)}`, () => store.records.get(key)),
  put: (key, record, version) =>
    withSteps(`write of ${nameOf(key, record.body)}`, () =>
      store.records.put(key, record, version),
    ),
}
const caller = createCaller('token-keeper', '*')
const parts = {
  service: createVaultService({ store: { ...store, records } }),
  options: {
    leases: records,
    caller,
    refresh: (token: string) => withSteps('call of the provider', () => requestTokens(url, token)),
    leaseMs,
  },
}
const { service, options } = breakKeeper(parts, hasLease ? undefined : 'no lease')
const keeper = createTokenKeeper(service, options)
const result = await keeper.accessToken(caller, { vaultId, itemId }).then(
  (token) => ({ token }),
  (error: unknown) => ({ error: isVaultError(error) ? error.code : String(error) }),
)
// After a stop, a call can be rejected while its tokens are still being stored.
await keeper.close()
await store.close()
report({ steps, ...result })

async function withSteps<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  reach(`before the ${name}`)
  const outcome = await work()
  reach(`after the ${name}`)
  return outcome
}

function reach(name: string): void {
  if (steps.push(name) - 1 !== step) return
  report({ at: name })
  process.kill(process.pid, signal)
}

function nameOf({ collection }: { readonly collection: string }, body?: Uint8Array): string {
  if (collection !== 'leases') return 'the item'
  return body === undefined ? 'the lease' : `the lease, ${readLeaseState(body)}`
}

function report(content: HolderReport): void {
  writeSync(1, `${JSON.stringify(content)}\n`)
}
