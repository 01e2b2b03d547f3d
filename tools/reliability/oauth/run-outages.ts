/** Runs processes that refresh grants while their store has outages, and counts the lost grants. */

import { setTimeout as sleep } from 'node:timers/promises'
import { createCaller, createVaultService, type ItemRef, isVaultError } from 'cofferkit'
import { createTokenKeeper, type TokenKeeper } from 'cofferkit/oauth'
import { openSqliteStore } from 'cofferkit/sqlite'
import { type BrokenVariant, breakKeeper } from './broken-variants.js'
import { createOutage, type Outage, type OutageKind } from './outage.js'
import { createProvider, type Provider } from './provider.js'

/** A run of outages, one after another. */
export interface OutageRun {
  /** Path of a new SQLite file. */
  readonly path: string
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

interface World {
  readonly provider: Provider
  readonly outage: Outage
  readonly keepers: readonly TokenKeeper[]
  readonly refs: readonly ItemRef[]
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

const caller = createCaller('token-keeper', '*')

/** Returns the findings about each outage. */
export async function runOutages(run: OutageRun): Promise<readonly OutageFindings[]> {
  const store = await openSqliteStore(run.path)
  const findings: OutageFindings[] = []
  try {
    for (const kind of run.kinds) findings.push(await runOutage(kind, store, run.variant))
  } finally {
    await store.close()
  }
  return findings
}

async function runOutage(
  kind: OutageKind,
  store: Awaited<ReturnType<typeof openSqliteStore>>,
  variant: BrokenVariant | undefined,
): Promise<OutageFindings> {
  const found = { outage: kind, issued: 0, rejected: 0, 'used twice': 0, lost: 0 }
  const provider = createProvider({ expiresInSeconds, acceptedMs })
  const outage = createOutage()
  const failing = outage.wrap(store)
  const refresh = async (token: string) => {
    const tokens = provider.refresh(token)
    await sleep(answerMs)
    if (outage.isOn && tokens !== false) found.issued++
    return tokens
  }
  const keepers = Array.from({ length: keeperCount }, () => {
    const service = createVaultService({ store: failing })
    const options = { leases: failing.records, caller, refresh, leaseMs }
    const parts = breakKeeper({ service, options }, variant)
    return createTokenKeeper(parts.service, parts.options)
  })
  const refs = await saveGrants(keepers, provider, createVaultService({ store }))
  const world = { provider, outage, keepers, refs }
  const stopped = new AbortController()
  const uses = keepers.flatMap((keeper) =>
    refs.map(async (ref) => {
      while (!stopped.signal.aborted) {
        await keeper.accessToken(caller, ref).catch((error: unknown) => {
          if (!isVaultError(error)) throw error
          if (outage.isOn && error.status >= 500) found.rejected++
        })
        await sleep(20 + 100 * Math.random())
      }
    }),
  )
  // The refreshes are spread by then.
  await sleep(2 * leaseMs)
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

async function saveGrants(
  [keeper]: readonly TokenKeeper[],
  provider: Provider,
  service: ReturnType<typeof createVaultService>,
): Promise<readonly ItemRef[]> {
  const { id: vaultId } = await service.createVault(caller, { name: 'Grants' })
  const refs: ItemRef[] = []
  for (let index = 0; index < grantCount; index++) {
    const tokens = { ...provider.connect(), expiresInSeconds: Math.random() }
    const ref = await keeper?.save(vaultId, { name: `grant ${index}`, ...tokens })
    if (ref !== undefined) refs.push(ref)
  }
  return refs
}

/** Returns true if a token of the grant works, if need be after a refresh. */
async function isAlive({ keepers, provider }: World, ref: ItemRef): Promise<boolean> {
  for (const keeper of keepers) {
    let rejected: string | undefined
    for (let attempt = 0; attempt < 10; attempt++) {
      try {
        const token = await keeper.accessToken(caller, ref, { rejected })
        if (provider.call(token)) return true
        rejected = token
      } catch (error) {
        if (!isVaultError(error) || error.status < 500) return false
      }
    }
  }
  return false
}
