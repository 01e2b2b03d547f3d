/**
 * A process that refreshes a grant and, at one step, kills or stops itself. On its standard output
 * it reports the step before that, and otherwise the steps and the result.
 */

import { writeSync } from 'node:fs'
import { isVaultError, type RecordStore } from 'cofferkit'
import { createTokenKeeper, type GrantSource } from 'cofferkit/oauth'
import { openSqliteStore } from 'cofferkit/sqlite'
import { breakKeeper } from './broken-variants.js'
import { openItems, openTable, type PlaceKind } from './grant-place.js'
import { openSqliteTable } from './grant-table.js'
import { readLeaseState } from './lease-state.js'
import { requestTokens } from './provider-server.js'

/** Options of a holder, passed as JSON in its first argument. */
export interface HolderOptions {
  readonly path: string
  readonly url: string
  readonly place: PlaceKind
  /** The grant. */
  readonly ref: string
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

const { path, url, place, ref, step, signal, leaseMs, hasLease }: HolderOptions = JSON.parse(
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
const table = place === 'table' ? await openSqliteTable(`${path}.table`) : undefined
const options = {
  grants:
    table === undefined
      ? openItems({ ...store, records }).grants
      : addSteps((await openTable(table, store)).grants),
  leases: records,
  refresh: (token: string) => withSteps('call of the provider', () => requestTokens(url, token)),
  leaseMs,
}
const keeper = createTokenKeeper(breakKeeper(options, hasLease ? undefined : 'no lease'))
const result = await keeper.accessToken(ref).then(
  (token) => ({ token }),
  (error: unknown) => ({ error: isVaultError(error) ? error.code : String(error) }),
)
// After a stop, a call can be rejected while its tokens are still being stored.
await keeper.close()
await table?.close()
await store.close()
report({ steps, ...result })

function addSteps(grants: GrantSource<string>): GrantSource<string> {
  return {
    ...grants,
    read: (ref) => withSteps('read of the row', () => grants.read(ref)),
    replace: (...row) => withSteps('write of the row', () => grants.replace(...row)),
  }
}

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
