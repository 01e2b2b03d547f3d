/** Token keepers that each lack one part of the protocol by which a grant is refreshed once. */

import {
  type Item,
  isVaultError,
  NotFoundError,
  type RecordStore,
  type VaultService,
} from 'cofferkit'
import type { TokenKeeperOptions } from 'cofferkit/oauth'
import { wrapOperations } from '../support/replace-operations.js'
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

/** The arguments of `createTokenKeeper`. */
export interface KeeperParts {
  readonly service: VaultService
  readonly options: TokenKeeperOptions
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Returns the arguments of a keeper with that defect; the same ones without a defect. */
export function breakKeeper(parts: KeeperParts, variant: BrokenVariant | undefined): KeeperParts {
  const { service, options } = parts
  const { leases, leaseMs = 15_000 } = options
  switch (variant) {
    case 'no lease':
      return { service, options: { ...options, leases: grantAlways(leases) } }
    case 'lease by the wall clock': {
      const now = (): number => service.now().getTime()
      return { service, options: { ...options, leases: lapseByWallClock(leases, leaseMs, now) } }
    }
    case 'fence by version':
      return fenceByVersion(parts)
    case 'no second read':
      return skipSecondRead(parts)
    case outageVariant:
      return dropTokens(parts)
    default:
      return parts
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

/** New tokens are dropped if the item has changed in any way since the provider was called. */
function fenceByVersion({ service, options }: KeeperParts): KeeperParts {
  const versions = new Map<string, number>()
  return {
    service: replaceSteps(service, (steps) => ({
      ...steps,
      async patch(item, patch) {
        const version = versions.get(item.id) ?? item.version
        try {
          await steps.patch({ ...item, version }, patch)
        } catch (error) {
          if (!isVaultError(error) || error.code !== 'PRECONDITION_FAILED') throw error
        }
      },
    })),
    options: {
      ...options,
      refresh(refreshToken, use) {
        versions.set(use.item.id, use.item.version)
        return options.refresh(refreshToken, use)
      },
    },
  }
}

/** After a lease was acquired, the item that was read before is used. */
function skipSecondRead({ service, options }: KeeperParts): KeeperParts {
  const { leases } = options
  const lastRead = new Map<unknown, unknown>()
  let isSecond = false
  return {
    service: wrapOperations(service, async (operation, input, run) => {
      if (operation !== 'loadGrant') return run(input)
      const last = isSecond ? lastRead.get(input['itemId']) : undefined
      isSecond = false
      const item = last ?? (await run(input))
      lastRead.set(input['itemId'], item)
      return item
    }),
    options: {
      ...options,
      leases: {
        ...leases,
        async put(key, record, expectedVersion) {
          const isPut = await leases.put(key, record, expectedVersion)
          if (readLeaseState(record.body) === 'acquired') isSecond = isPut
          return isPut
        },
      },
    },
  }
}

/** An item that cannot be read for `leaseMs` counts as deleted, so its new tokens are dropped. */
function dropTokens({ service, options }: KeeperParts): KeeperParts {
  const { leaseMs = 15_000 } = options
  const failingSince = new Map<string, number>()
  async function run<Result>(itemId: string, call: Promise<Result>): Promise<Result> {
    try {
      const result = await call
      failingSince.delete(itemId)
      return result
    } catch (error) {
      const since = failingSince.get(itemId) ?? performance.now()
      failingSince.set(itemId, since)
      if (performance.now() - since > leaseMs) throw new NotFoundError('item', itemId)
      throw error
    }
  }
  return {
    service: replaceSteps(service, ({ load, patch }, itemId) => ({
      load: () => run(itemId, load()),
      patch: (item, operations) => run(itemId, patch(item, operations)),
    })),
    options,
  }
}

/** How the tokens of a refresh are stored: `GrantSteps` of the library. */
interface GrantSteps {
  load(): Promise<Item>
  patch(item: Item, patch: readonly unknown[]): Promise<void>
}

/** Changes how the keepers of the service store new tokens. */
function replaceSteps(
  service: VaultService,
  change: (steps: GrantSteps, itemId: string) => GrantSteps,
): VaultService {
  return wrapOperations(service, (operation, input, run) => {
    if (operation !== 'refreshGrant') return run(input)
    const refresh = input['refresh'] as (steps: GrantSteps) => unknown
    const itemId = String(input['itemId'])
    return run({ ...input, refresh: (steps: GrantSteps) => refresh(change(steps, itemId)) })
  })
}
