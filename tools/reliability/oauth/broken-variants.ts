/** Token keepers that each lack one part of the protocol by which a grant is refreshed once. */

import { NotFoundError, type RecordStore } from 'cofferkit'
import type { FoundGrant, GrantRows, GrantSource, TokenKeeperOptions } from 'cofferkit/oauth'
import { readLeaseState, toLeaseBody } from './lease-state.js'

/** A keeper that lacks one part. */
export type BrokenVariant = (typeof brokenVariants)[number] | typeof outageVariant

/** The variant that only an outage of the store shows. */
export const outageVariant = 'tokens dropped after the lease'

/** All variants that need no outage. */
export const brokenVariants = [
  'no lease',
  'lease by the wall clock',
  'fence by version',
  'no second read',
] as const

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Returns the options of a keeper with that defect; the same ones without a defect. */
export function breakKeeper<Ref, By, Found extends FoundGrant>(
  options: TokenKeeperOptions<Ref, By, Found>,
  variant: BrokenVariant | undefined,
): TokenKeeperOptions<Ref, By, Found> {
  const { leases, leaseMs = 15_000, now = () => new Date() } = options
  switch (variant) {
    case 'no lease':
      return { ...options, leases: grantAlways(leases) }
    case 'lease by the wall clock':
      return { ...options, leases: lapseByWallClock(leases, leaseMs, () => now().getTime()) }
    case 'fence by version':
      return fenceByVersion(options)
    case 'no second read':
      return skipSecondRead(options)
    case outageVariant:
      return { ...options, grants: dropTokens(options.grants, leaseMs) }
    default:
      return options
  }
}

/** Each lease is free, and is always acquired. */
function grantAlways(inner: RecordStore): RecordStore {
  return { ...inner, get: async () => undefined, put: async () => true }
}

/** A lease lapses at a time on the clock of its holder, and is compared with that of the reader. */
function lapseByWallClock(inner: RecordStore, leaseMs: number, now: () => number): RecordStore {
  return {
    ...inner,
    put: (key, { body }, expectedVersion) => {
      const text = `${readLeaseState(body)} ${now() + leaseMs}`
      return inner.put(key, { body: encoder.encode(text) }, expectedVersion)
    },
    async get(key) {
      const record = await inner.get(key)
      if (record === undefined) return undefined
      const [state = '', until] = decoder.decode(record.body).split(' ')
      return { ...record, body: toLeaseBody(Number(until) > now() ? state : 'free') }
    },
  }
}

/** New tokens are dropped if the grant has changed in any way since the provider was called. */
function fenceByVersion<Ref, By, Found extends FoundGrant>(
  options: TokenKeeperOptions<Ref, By, Found>,
): TokenKeeperOptions<Ref, By, Found> {
  const { grants } = options
  const versions = new Map<string, string | number>()
  return {
    ...options,
    grants: changeRows(grants, (rows) => ({
      ...rows,
      async replace(ref, grant, version) {
        await rows.replace(ref, grant, versions.get(grants.key(ref)) ?? version)
        return true
      },
    })),
    refresh(refreshToken, use) {
      versions.set(grants.key(use.ref), use.found.version)
      return options.refresh(refreshToken, use)
    },
  }
}

/** After a lease was acquired, the grant that was read before is used. */
function skipSecondRead<Ref, By, Found extends FoundGrant>(
  options: TokenKeeperOptions<Ref, By, Found>,
): TokenKeeperOptions<Ref, By, Found> {
  const { grants, leases } = options
  const lastRead = new Map<string, Found | undefined>()
  let isSecond = false
  return {
    ...options,
    grants: {
      ...grants,
      async read(ref) {
        const last = isSecond ? lastRead.get(grants.key(ref)) : undefined
        isSecond = false
        const found = last ?? (await grants.read(ref))
        lastRead.set(grants.key(ref), found)
        return found
      },
    },
    leases: {
      ...leases,
      async put(key, record, expectedVersion) {
        const isPut = await leases.put(key, record, expectedVersion)
        if (readLeaseState(record.body) === 'acquired') isSecond = isPut
        return isPut
      },
    },
  }
}

/** A grant that cannot be read for `leaseMs` counts as deleted, so its new tokens are dropped. */
function dropTokens<Ref, By, Found extends FoundGrant>(
  grants: GrantSource<Ref, By, Found>,
  leaseMs: number,
): GrantSource<Ref, By, Found> {
  const failingSince = new Map<string, number>()
  async function run<Result>(key: string, call: Promise<Result>): Promise<Result> {
    try {
      const result = await call
      failingSince.delete(key)
      return result
    } catch (error) {
      const since = failingSince.get(key) ?? performance.now()
      failingSince.set(key, since)
      if (performance.now() - since > leaseMs)
        throw new NotFoundError('grant not found', { resource: 'grant', id: key })
      throw error
    }
  }
  return changeRows(grants, (rows) => ({
    read: (ref) => run(grants.key(ref), rows.read(ref)),
    replace: (ref, ...rest) => run(grants.key(ref), rows.replace(ref, ...rest)),
  }))
}

/** Changes how the answers of providers are stored, also where the source gives rows for that. */
function changeRows<Ref, By, Found extends FoundGrant>(
  grants: GrantSource<Ref, By, Found>,
  change: (rows: GrantRows<Ref, Found>) => GrantRows<Ref, Found>,
): GrantSource<Ref, By, Found> {
  return {
    ...grants,
    async aroundRefresh(ref, found, next) {
      const { aroundRefresh = async (_ref, _found, run) => run() } = grants
      await aroundRefresh(ref, found, (rows = grants) => next(change(rows)))
    },
  }
}
