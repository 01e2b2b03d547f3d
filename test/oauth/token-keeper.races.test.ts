import type { Caller, ItemRef, RecordStore, VaultService } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createTokenKeeper, vaultGrants } from 'cofferkit/oauth'
import { describe, expect, it } from 'vitest'
import {
  type BrokenVariant,
  breakKeeper,
  brokenVariants,
} from '../../tools/reliability/oauth/broken-variants.js'
import { readLeaseState, toLeaseBody } from '../../tools/reliability/oauth/lease-state.js'
import type { Provider } from '../../tools/reliability/oauth/provider.js'
import { createTokenWorld, leaseMs, type TokenWorld } from '../support/oauth/token-world.js'
import { useVirtualTime } from '../support/virtual-time.js'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const hourMs = 3_600_000

/** Leaves the lease of the grant in a state, as a holder does that has died. */
async function leaveLease({ store, ref }: TokenWorld, state: string): Promise<void> {
  const key = { collection: 'leases', id: `${ref.vaultId}/${ref.itemId}` }
  const version = (await store.records.get(key))?.version ?? 0
  await store.records.put(key, { body: toLeaseBody(state) }, version)
}

async function readLease({ store, ref }: TokenWorld): Promise<string> {
  const key = { collection: 'leases', id: `${ref.vaultId}/${ref.itemId}` }
  return readLeaseState((await store.records.get(key))?.body)
}

async function refreshTokenOf({ readFields }: TokenWorld): Promise<string> {
  return String((await readFields())['refresh_token'])
}

describe('createTokenKeeper: a holder that has died', () => {
  it.each([
    ['acquired', 'refused', leaseMs],
    // Half of a lease more, because the holder may be alive and have tokens that it could not store.
    ['retrying', 'interrupted', 1.5 * leaseMs],
    ['calling', 'interrupted', 1.5 * leaseMs],
  ])('is replaced after the lease when it was %s', async (state, reason, afterMs) => {
    useVirtualTime()
    const world = await createTokenWorld()
    const { provider, ref, caller, createKeeper } = world
    await leaveLease(world, state)
    const start = performance.now()
    const token = await createKeeper().accessToken(ref, caller)
    expect(provider.call(token)).toBe(true)
    expect(performance.now() - start).toBeGreaterThanOrEqual(afterMs)
    expect(performance.now() - start).toBeLessThan(afterMs + 200)
    expect(await readLease(world)).toBe('free')
    // The same, if the provider had answered the holder before it died.
    provider.refresh(await refreshTokenOf(world))
    await leaveLease(world, state)
    const settled = createKeeper().accessToken(ref, caller, { rejected: token })
    await expect(settled).rejects.toMatchObject({ code: 'RECONNECT_REQUIRED', reason })
    expect(await readLease(world)).toBe('free')
  })

  it.each(['free', 'uncertain'])('is replaced at once when the lease is %s', async (state) => {
    useVirtualTime()
    const world = await createTokenWorld()
    const { provider, ref, caller, createKeeper } = world
    await leaveLease(world, state)
    const start = performance.now()
    expect(provider.call(await createKeeper().accessToken(ref, caller))).toBe(true)
    expect(performance.now()).toBe(start)
  })

  it('has stored the tokens: they are used without a request', async () => {
    useVirtualTime()
    const world = await createTokenWorld()
    const { provider, ref, caller, createKeeper } = world
    const rejected = await createKeeper().accessToken(ref, caller)
    await leaveLease(world, 'calling')
    const waiting = createKeeper().accessToken(ref, caller, { rejected })
    await createKeeper({ leases: createMemoryStore().records }).accessToken(ref, caller, {
      rejected,
    })
    expect(await waiting).toBe((await world.readFields())['credential'])
    expect(provider.counts).toEqual({ requests: 2, refreshes: 2, reuses: 0 })
    expect(await readLease(world)).toBe('free')
  })

  it('does not count as dead when its clock is an hour behind', async () => {
    useVirtualTime()
    const { provider, ref, caller, createKeeper } = await createTokenWorld()
    const refresh = async (token: string) => {
      await pause(leaseMs / 2)
      return provider.refresh(token)
    }
    const keepers = [0, hourMs, 0, hourMs].map((aheadMs) => createKeeper({ aheadMs, refresh }))
    for (let rejected: string | undefined, round = 0; round < 5; round++) {
      const calls = keepers.map((keeper) => keeper.accessToken(ref, caller, { rejected }))
      for (const token of await Promise.all(calls)) expect(provider.call(token)).toBe(true)
      rejected = (await Promise.all(calls))[0]
    }
    expect(provider.counts.reuses).toBe(0)
  })

  it('refreshes after the time of a lease when its record is damaged', async () => {
    useVirtualTime()
    const world = await createTokenWorld()
    await leaveLease(world, 'held')
    const token = await world.createKeeper().accessToken(world.ref, world.caller)
    expect(world.provider.call(token)).toBe(true)
  })
})

describe('createTokenKeeper: a holder that pauses for longer than its lease', () => {
  it('acquires a new lease when it has lost its own before the call', async () => {
    useVirtualTime()
    const world = await createTokenWorld()
    const { provider, ref, caller, createKeeper, store } = world
    let isLost = false
    const put: RecordStore['put'] = async (key, record, expectedVersion) => {
      if (!isLost && readLeaseState(record.body) === 'calling') {
        isLost = true
        await leaveLease(world, 'acquired')
      }
      return store.records.put(key, record, expectedVersion)
    }
    const keeper = createKeeper({ leases: { ...store.records, put } })
    expect(provider.call(await keeper.accessToken(ref, caller))).toBe(true)
    expect(provider.counts).toEqual({ requests: 1, refreshes: 1, reuses: 0 })
  })

  it('writes tokens over a refusal, but as uncertain, and the next call settles them', async () => {
    useVirtualTime()
    const world = await createTokenWorld()
    const { provider, ref, caller, createKeeper } = world
    const refresh = async (token: string) => {
      const tokens = provider.refresh(token)
      await pause(2.5 * leaseMs)
      return tokens
    }
    const paused = createKeeper({ refresh }).accessToken(ref, caller)
    await pause(1)
    const interrupted = { code: 'RECONNECT_REQUIRED', reason: 'interrupted' }
    await expect(createKeeper().accessToken(ref, caller)).rejects.toMatchObject(interrupted)
    const token = await paused
    expect(provider.call(token)).toBe(false)
    expect(await world.readFields()).toMatchObject({ credential: token, status: 'uncertain' })
    const settled = { code: 'RECONNECT_REQUIRED', reason: 'refused' }
    await expect(createKeeper().accessToken(ref, caller)).rejects.toMatchObject(settled)
    expect(await world.readFields()).toMatchObject({ status: 'reconnect' })
  })

  it('has its tokens checked when it writes them while another holder is refused', async () => {
    useVirtualTime()
    const { provider, ref, caller, createKeeper, readFields } = await createTokenWorld()
    const answerLate = (ms: number) => async (token: string) => {
      const tokens = provider.refresh(token)
      await pause(ms)
      return tokens
    }
    const paused = createKeeper({ refresh: answerLate(2 * leaseMs) }).accessToken(ref, caller)
    await pause(1)
    const second = createKeeper({ refresh: answerLate(0.6 * leaseMs) }).accessToken(ref, caller)
    const interrupted = { code: 'RECONNECT_REQUIRED', reason: 'interrupted' }
    const [one, other] = await Promise.allSettled([paused, second])
    expect(one).toMatchObject({ status: 'fulfilled' })
    expect(other).toMatchObject({ status: 'rejected', reason: interrupted })
    expect(await readFields()).toMatchObject({ status: 'reconnect' })
    expect(provider.counts).toEqual({ requests: 3, refreshes: 1, reuses: 1 })
  })

  it('returns the tokens that were saved during its call', async () => {
    const { provider, ref, vaultId, caller, createKeeper } = await createTokenWorld()
    const tokens = provider.connect()
    const refresh = async (token: string) => {
      const late = provider.refresh(token)
      await createKeeper().save(vaultId, { name: 'mail', account: 'wendy', ...tokens })
      return late
    }
    expect(await createKeeper({ refresh }).accessToken(ref, caller)).toBe(tokens.accessToken)
    expect(await createKeeper().accessToken(ref, caller)).toBe(tokens.accessToken)
  })
})

describe('createTokenKeeper: the write of new tokens', () => {
  it('is repeated when a user edits the item during the refresh', async () => {
    const { provider, service, ref, caller, createKeeper } = await createTokenWorld()
    const keeper = createKeeper({ refresh: withEdits(provider.refresh, service, caller, ref) })
    const token = await keeper.accessToken(ref, caller)
    expect((await service.getItem(caller, ref)).tags).toEqual(['1'])
    expect(await keeper.accessToken(ref, caller)).toBe(token)
    expect(provider.call(await keeper.accessToken(ref, caller, { rejected: token }))).toBe(true)
  })

  it('is repeated when the store fails for a moment', async () => {
    useVirtualTime()
    const world = await createTokenWorld()
    const { provider, ref, caller, createKeeper } = world
    const { records } = world.store
    let failures = 0
    const put: RecordStore['put'] = async (key, ...rest) => {
      const isItem = key.collection.startsWith('items/')
      // The second failure comes after the write.
      if (isItem && failures === 1) await records.put(key, ...rest)
      if (isItem && failures++ < 2) throw new Error('the connection was lost')
      return records.put(key, ...rest)
    }
    const service = world.serviceOn({ ...world.store, records: { ...records, put } })
    const token = await createKeeper({ service }).accessToken(ref, caller)
    expect(provider.call(token)).toBe(true)
    expect(provider.counts.requests).toBe(1)
    expect(failures).toBe(2)
  })

  it('rejects when the item was deleted during the refresh', async () => {
    const { provider, service, ref, caller, createKeeper } = await createTokenWorld()
    const keeper = createKeeper({
      refresh: async (token) => {
        await service.deleteItem(caller, ref)
        return provider.refresh(token)
      },
    })
    await expect(keeper.accessToken(ref, caller)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('brokenVariants', () => {
  it.each(brokenVariants)('detects %s', async (variant) => {
    useVirtualTime()
    expect(await countReuses(variant)).toBeGreaterThan(0)
  })

  it('detects nothing in the keeper', async () => {
    useVirtualTime()
    expect(await countReuses(undefined)).toBe(0)
  })
})

/** Eight processes, one with a clock an hour ahead, and an editor who changes tags each time. */
async function countReuses(variant: BrokenVariant | undefined): Promise<number> {
  const world = await createTokenWorld()
  const { provider, ref, caller, store } = world
  const keepers = Array.from({ length: 8 }, (_, index) => {
    const service = world.serviceOn(store, index === 1 ? hourMs : 0)
    const edited = withEdits(provider.refresh, world.service, caller, ref)
    const refresh = async (token: string) => {
      await pause(20)
      return edited(token)
    }
    // A process can be slow between its look at the item and its look at the lease.
    const get: RecordStore['get'] = async (key) => {
      await pause(5 * index)
      return store.records.get(key)
    }
    const grants = vaultGrants(service, caller)
    const { now } = service
    const options = { grants, leases: { ...store.records, get }, refresh, leaseMs, now }
    return createTokenKeeper(breakKeeper(options, variant))
  })
  for (let rejected: string | undefined, round = 0; round < 10; round++) {
    const calls = keepers.map(async (keeper, index) => {
      await pause(index)
      return keeper.accessToken(ref, caller, { rejected })
    })
    const tokens = await Promise.allSettled(calls)
    for (const token of tokens) if (token.status === 'fulfilled') rejected = token.value
  }
  return provider.counts.reuses
}

/** Each refresh changes the tags of the item before it returns. */
function withEdits(
  refresh: Provider['refresh'],
  service: VaultService,
  caller: Caller,
  ref: ItemRef,
): (token: string) => Promise<ReturnType<Provider['refresh']>> {
  let edits = 0
  return async (token) => {
    const tokens = refresh(token)
    const patch = [{ op: 'add', path: '/tags', value: [String(++edits)] }] as const
    await service.patchItem(caller, { ...ref, patch })
    return tokens
  }
}
