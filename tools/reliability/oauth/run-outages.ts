/** Runs processes that refresh grants while their store has outages, and counts the lost grants. */

import { setTimeout as sleep } from 'node:timers/promises'
import { isVaultError } from 'cofferkit'
import { createTokenKeeper, type TokenKeeper } from 'cofferkit/oauth'
import { openSqliteStore, type SqliteStore } from 'cofferkit/sqlite'
import { type BrokenVariant, breakKeeper } from './broken-variants.js'
import { type GrantPlace, openItems, openTable, type PlaceKind } from './grant-place.js'
import { type GrantTable, openSqliteTable } from './grant-table.js'
import { createOutage, type Outage, type OutageKind } from './outage.js'
import { createProvider, type Provider } from './provider.js'

/** A run of outages, one after another. */
export interface OutageRun {
  /** Path of a new SQLite file. */
  readonly path: string
  readonly place: PlaceKind
  readonly kinds: readonly OutageKind[]
  readonly variant?: BrokenVariant
}

/** The findings about one outage. */
export interface OutageFindings {
  readonly outage: OutageKind
  /** Refreshes that the provider answered while the store failed. */
  issued: number
  /** Calls that were rejected with a status of 500 or more meanwhile. */
  rejected: number
  /** Refresh tokens that the provider has received twice. */
  'used twice': number
  /** Grants that need a new consent. */
  lost: number
}

interface Stores {
  readonly store: SqliteStore
  readonly table: GrantTable | undefined
}

interface World {
  readonly provider: Provider
  readonly outage: Outage
  readonly keepers: readonly TokenKeeper<string>[]
  readonly refs: readonly string[]
}

const leaseMs = 500
const outageMs = 10 * leaseMs
/** A token is refreshed after half of this time, and accepted for much longer. */
const expiresInSeconds = 1
const acceptedMs = 600_000
/** The time in which the provider answers. */
const answerMs = 200
const keeperCount = 4
const grantCount = 12

let savedCount = 0

/** Returns the findings about each outage. */
export async function runOutages(run: OutageRun): Promise<readonly OutageFindings[]> {
  const store = await openSqliteStore(run.path)
  const table = run.place === 'table' ? await openSqliteTable(`${run.path}.table`) : undefined
  const findings: OutageFindings[] = []
  try {
    for (const kind of run.kinds)
      findings.push(await runOutage(kind, { store, table }, run.variant))
  } finally {
    await table?.close()
    await store.close()
  }
  return findings
}

async function runOutage(
  kind: OutageKind,
  { store, table }: Stores,
  variant: BrokenVariant | undefined,
): Promise<OutageFindings> {
  const found = { outage: kind, issued: 0, rejected: 0, 'used twice': 0, lost: 0 }
  const provider = createProvider({ expiresInSeconds, acceptedMs })
  const outage = createOutage()
  const failing = outage.wrap(store)
  let asking = 0
  const refresh = async (token: string) => {
    asking++
    const tokens = provider.refresh(token)
    await sleep(answerMs)
    asking--
    if (outage.isOn && tokens !== false) found.issued++
    return tokens
  }
  const place = table === undefined ? openItems(store) : await openTable(table, store)
  const grants = table === undefined ? openItems(failing).grants : outage.wrapGrants(place.grants)
  const options = { grants, leases: failing.records, refresh, leaseMs }
  const keepers = Array.from({ length: keeperCount }, () =>
    createTokenKeeper(breakKeeper(options, variant)),
  )
  const refs = await saveGrants(place, provider)
  const world = { provider, outage, keepers, refs }
  const stopped = new AbortController()
  const uses = keepers.flatMap((keeper) =>
    refs.map(async (ref) => {
      while (!stopped.signal.aborted) {
        await keeper.accessToken(ref).catch((error: unknown) => {
          if (!isVaultError(error)) throw error
          if (outage.isOn && error.status >= 500) found.rejected++
        })
        await sleep(20 + 100 * Math.random())
      }
    }),
  )
  // The refreshes are spread by then.
  await sleep(2 * leaseMs)
  while (asking === 0) await sleep(1)
  outage.begin(kind)
  await sleep(outageMs)
  outage.end()
  await sleep(3 * leaseMs)
  stopped.abort()
  await Promise.all(uses)
  for (const ref of refs) if (!(await isAlive(world, ref))) found.lost++
  await Promise.all(keepers.map((keeper) => keeper.close()))
  found['used twice'] = provider.counts.reuses
  return found
}

async function saveGrants(place: GrantPlace, provider: Provider): Promise<readonly string[]> {
  const refs: string[] = []
  for (let index = 0; index < grantCount; index++) {
    const tokens = { ...provider.connect(), expiresInSeconds: Math.random() }
    refs.push(await place.save(`grant ${savedCount++}`, tokens))
  }
  return refs
}

/** Returns true if a token of the grant works, if need be after a refresh. */
async function isAlive({ keepers, provider }: World, ref: string): Promise<boolean> {
  for (const keeper of keepers) {
    let rejected: string | undefined
    for (let attempt = 0; attempt < 10; attempt++) {
      try {
        const token = await keeper.accessToken(ref, undefined, { rejected })
        if (provider.call(token)) return true
        rejected = token
      } catch (error) {
        if (!isVaultError(error) || error.status < 500) return false
      }
    }
  }
  return false
}
