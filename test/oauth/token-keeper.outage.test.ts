import type { RecordStore } from 'cofferkit'
import { createTokenKeeper, vaultGrants } from 'cofferkit/oauth'
import { describe, expect, it } from 'vitest'
import { breakKeeper, outageVariant } from '../../tools/reliability/oauth/broken-variants.js'
import { readLeaseState } from '../../tools/reliability/oauth/lease-state.js'
import { createOutage, type Outage, outageKinds } from '../../tools/reliability/oauth/outage.js'
import {
  createTokenWorld,
  leaseMs,
  type TokenWorld,
  type VaultKeeper,
} from '../support/oauth/token-world.js'
import { useVirtualTime } from '../support/virtual-time.js'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const unavailable = { code: 'STORAGE_UNAVAILABLE', status: 503 }
const notStored = {
  ...unavailable,
  message: 'the provider has answered, but its answer cannot be stored yet',
}

interface OutageWorld extends TokenWorld {
  readonly outage: Outage
  /** Creates a keeper of a process whose store has the outage; it begins after the provider's answer. */
  createHolder(kind?: (typeof outageKinds)[number]): VaultKeeper
  /** Creates a keeper of another process whose store has the outage. */
  createOther(): VaultKeeper
}

async function createOutageWorld(): Promise<OutageWorld> {
  const world = await createTokenWorld()
  const outage = createOutage()
  const store = outage.wrap(world.store)
  const parts = () => ({ service: world.serviceOn(store), leases: store.records })
  return {
    ...world,
    outage,
    createHolder: (kind = 'every call fails') =>
      world.createKeeper({
        ...parts(),
        refresh: async (token) => {
          const tokens = world.provider.refresh(token)
          outage.begin(kind)
          return tokens
        },
      }),
    createOther: () => world.createKeeper(parts()),
  }
}

async function readLease({ store, ref }: TokenWorld): Promise<string> {
  const key = { collection: 'leases', id: `${ref.vaultId}/${ref.itemId}` }
  return readLeaseState((await store.records.get(key))?.body)
}

/** The time after which tokens that wait are stored, when the store works again. */
const settleMs = leaseMs / 2

describe('createTokenKeeper: an outage of the store after the provider has issued tokens', () => {
  it.each(outageKinds.slice(0, 3))(
    'loses no tokens when it takes ten leases and %s',
    async (kind) => {
      useVirtualTime()
      const world = await createOutageWorld()
      const { provider, ref, caller, outage, readFields } = world
      const holder = world.createHolder(kind)
      const failing = holder.accessToken(ref, caller)
      await expect(failing).rejects.toMatchObject({ ...notStored, cause: unavailable })
      // Meanwhile, this and other processes need the grant again and again.
      const keepers = [holder, world.createOther(), world.createOther()]
      const errors: unknown[] = []
      const calls = keepers.map(async (keeper) => {
        while (outage.isOn) {
          await keeper.accessToken(ref, caller).catch((error) => errors.push(error))
          await pause(50)
        }
      })
      await pause(9 * leaseMs)
      outage.end()
      await pause(settleMs)
      const { credential = '' } = await readFields()
      expect(provider.call(credential)).toBe(true)
      await Promise.all(calls)
      expect(errors.length).toBeGreaterThan(0)
      for (const error of errors) expect(error).toMatchObject({ status: 503 })
      for (const keeper of keepers) expect(await keeper.accessToken(ref, caller)).toBe(credential)
      expect(provider.counts).toEqual({ requests: 1, refreshes: 1, reuses: 0 })
      expect(await readLease(world)).toBe('free')
    },
  )

  it('returns the tokens when the store makes writes that seem to fail', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { provider, ref, caller, outage, readFields } = world
    const token = await world.createHolder('writes are made, but fail').accessToken(ref, caller)
    expect(provider.call(token)).toBe(true)
    expect(await readFields()).toMatchObject({ credential: token, status: 'ok' })
    outage.end()
    expect(await world.createOther().accessToken(ref, caller)).toBe(token)
    expect(provider.counts.requests).toBe(1)
  })

  it('is detected as a loss when tokens are dropped after the lease', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { provider, ref, caller, outage, store } = world
    const failing = outage.wrap(store)
    const refresh = async (token: string) => {
      const tokens = provider.refresh(token)
      outage.begin('every call fails')
      return tokens
    }
    const grants = vaultGrants(world.serviceOn(failing), caller)
    const options = { grants, leases: failing.records, refresh, leaseMs }
    const holder = createTokenKeeper(breakKeeper(options, outageVariant))
    await expect(holder.accessToken(ref, caller)).rejects.toMatchObject({ status: 503 })
    await pause(9 * leaseMs)
    outage.end()
    await pause(settleMs)
    const interrupted = { code: 'RECONNECT_REQUIRED', reason: 'interrupted' }
    await expect(world.createOther().accessToken(ref, caller)).rejects.toMatchObject(interrupted)
  })

  it('rejects further calls at once after the lease, and those before it at that time', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { ref, caller } = world
    const holder = world.createHolder()
    const start = performance.now()
    const first = holder.accessToken(ref, caller)
    await pause(leaseMs / 2)
    const joined = holder.accessToken(ref, caller, { rejected: 'other' })
    for (const call of await Promise.allSettled([first, joined]))
      expect(call).toMatchObject({ status: 'rejected', reason: notStored })
    expect(performance.now() - start).toBe(leaseMs)
    await expect(holder.accessToken(ref, caller)).rejects.toMatchObject(notStored)
    expect(performance.now() - start).toBe(leaseMs)
  })

  it('ends before the lease without any caller noticing', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { provider, ref, caller, outage } = world
    const holder = world.createHolder()
    const calls = [undefined, 'other'].map(async (rejected) => {
      if (rejected) await pause(10)
      return holder.accessToken(ref, caller, { rejected })
    })
    await pause(leaseMs / 2)
    outage.end()
    const tokens = await Promise.all(calls)
    expect(new Set(tokens).size).toBe(1)
    expect(provider.counts.requests).toBe(1)
  })

  it('makes attempts with growing pauses', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const times: number[] = []
    const put: RecordStore['put'] = async (key, ...rest) => {
      if (!key.collection.startsWith('items/')) return world.store.records.put(key, ...rest)
      times.push(performance.now())
      throw new Error('the disk is full')
    }
    const store = { ...world.store, records: { ...world.store.records, put } }
    const keeper = world.createKeeper({ service: world.serviceOn(store) })
    await expect(keeper.accessToken(world.ref, world.caller)).rejects.toMatchObject(notStored)
    await pause(10 * leaseMs)
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    expect(pauses[0]).toBeLessThanOrEqual(20)
    expect(pauses[1]).toBeGreaterThanOrEqual(20)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(leaseMs / 10)
    expect(Math.min(...pauses.slice(10))).toBeGreaterThanOrEqual(leaseMs / 20)
  })

  it('keeps the lease when only the items fail', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { provider, ref, caller, outage, store } = world
    const holder = world.createKeeper({
      service: world.serviceOn(outage.wrap(store)),
      refresh: async (token) => {
        const tokens = provider.refresh(token)
        outage.begin('every call fails')
        return tokens
      },
    })
    await expect(holder.accessToken(ref, caller)).rejects.toMatchObject(notStored)
    // Another process, whose items do not fail.
    const start = performance.now()
    const other = world.createKeeper().accessToken(ref, caller)
    await expect(other).rejects.toMatchObject(unavailable)
    expect(performance.now() - start).toBeGreaterThanOrEqual(3 * leaseMs)
    await pause(10 * leaseMs)
    expect(await readLease(world)).toBe('calling')
    outage.end()
    await pause(settleMs)
    expect(provider.call(await holder.accessToken(ref, caller))).toBe(true)
    expect(provider.counts).toEqual({ requests: 1, refreshes: 1, reuses: 0 })
    expect(await readLease(world)).toBe('free')
  })

  it('loses no tokens when another process takes the lease in the moment in which it ends', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { provider, ref, caller, outage, store } = world
    const holder = world.createHolder('only reads work')
    await expect(holder.accessToken(ref, caller)).rejects.toMatchObject(notStored)
    const put: RecordStore['put'] = async (key, record, expectedVersion) => {
      outage.end()
      return store.records.put(key, record, expectedVersion)
    }
    const other = world.createKeeper({ leases: { ...store.records, put } })
    const token = await other.accessToken(ref, caller)
    expect(provider.call(token)).toBe(true)
    expect(await holder.accessToken(ref, caller)).toBe(token)
    expect(provider.counts).toEqual({ requests: 1, refreshes: 1, reuses: 0 })
    expect(await readLease(world)).toBe('free')
  })

  it('stores the tokens as uncertain when another process was refused meanwhile', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { provider, ref, caller, outage, readFields } = world
    const holder = world.createHolder('every call fails')
    await expect(holder.accessToken(ref, caller)).rejects.toMatchObject(notStored)
    // Another process, which this outage does not reach.
    const interrupted = { code: 'RECONNECT_REQUIRED', reason: 'interrupted' }
    await expect(world.createKeeper().accessToken(ref, caller)).rejects.toMatchObject(interrupted)
    outage.end()
    await pause(settleMs)
    expect(await readFields()).toMatchObject({ status: 'uncertain', reason: '' })
    const refused = { code: 'RECONNECT_REQUIRED', reason: 'refused' }
    await expect(world.createOther().accessToken(ref, caller)).rejects.toMatchObject(refused)
    expect(provider.counts.reuses).toBe(1)
  })

  it('drops the tokens when the grant is saved again meanwhile', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { provider, vaultId, ref, caller, outage, createKeeper, readFields } = world
    const holder = world.createHolder()
    await expect(holder.accessToken(ref, caller)).rejects.toMatchObject(notStored)
    const tokens = provider.connect()
    await createKeeper().save(vaultId, { name: 'mail', account: 'wendy', ...tokens })
    outage.end()
    await pause(settleMs)
    expect(await holder.accessToken(ref, caller)).toBe(tokens.accessToken)
    expect(await readFields()).toMatchObject({ refresh_token: tokens.refreshToken })
  })

  it('drops the tokens when the item is deleted meanwhile', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { ref, caller, outage, service } = world
    const holder = world.createHolder()
    await expect(holder.accessToken(ref, caller)).rejects.toMatchObject(notStored)
    await service.deleteItem(caller, ref)
    outage.end()
    await pause(settleMs)
    await expect(holder.accessToken(ref, caller)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await holder.close()
  })

  it('keeps a refusal, and the provider is not asked again', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { provider, ref, caller, outage, readFields } = world
    provider.revoke(String((await readFields())['refresh_token']))
    const holder = world.createHolder()
    await expect(holder.accessToken(ref, caller)).rejects.toMatchObject(notStored)
    await pause(9 * leaseMs)
    outage.end()
    await pause(settleMs)
    expect(await readFields()).toMatchObject({ status: 'reconnect', reason: 'refused' })
    const refused = { code: 'RECONNECT_REQUIRED', reason: 'refused' }
    await expect(holder.accessToken(ref, caller)).rejects.toMatchObject(refused)
    expect(provider.counts.requests).toBe(1)
  })

  it('loses no tokens when it comes twice', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { provider, ref, caller, outage } = world
    const holder = world.createHolder('only reads work')
    await expect(holder.accessToken(ref, caller)).rejects.toMatchObject(notStored)
    await pause(3 * leaseMs)
    outage.end()
    outage.begin('calls wait for the end')
    await pause(3 * leaseMs)
    outage.end()
    outage.begin('only reads work')
    await pause(3 * leaseMs)
    outage.end()
    await pause(settleMs)
    expect(provider.call(await world.createOther().accessToken(ref, caller))).toBe(true)
    expect(provider.counts).toEqual({ requests: 1, refreshes: 1, reuses: 0 })
  })

  it('puts no token into the error', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { ref, caller, store, provider } = world
    let refreshToken = ''
    const put: RecordStore['put'] = async (key, { body }, ...rest) => {
      if (refreshToken === '') return store.records.put(key, { body }, ...rest)
      throw new Error(new TextDecoder().decode(body))
    }
    const keeper = world.createKeeper({
      service: world.serviceOn({ ...store, records: { ...store.records, put } }),
      refresh: async (token) => {
        const tokens = provider.refresh(token)
        refreshToken = String(Object(tokens).refreshToken)
        return tokens
      },
    })
    const error: unknown = await keeper.accessToken(ref, caller).catch((reason) => reason)
    expect(error).toMatchObject({ ...notStored, cause: { code: 'STORAGE_FAILED' } })
    for (let one = error; one instanceof Error; one = one.cause)
      expect(`${one.message}${one.stack}`).not.toMatch(/refresh-|access-/)
  })
})

describe('createTokenKeeper: close', () => {
  it('waits until the tokens are stored, and refuses calls', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { provider, ref, caller, outage, readFields } = world
    const holder = world.createHolder()
    await expect(holder.accessToken(ref, caller)).rejects.toMatchObject(notStored)
    let isClosed = false
    const closing = holder.close().then(() => {
      isClosed = true
    })
    await pause(5 * leaseMs)
    expect(isClosed).toBe(false)
    const closed = { ...unavailable, message: 'the token keeper is closed' }
    await expect(holder.accessToken(ref, caller)).rejects.toMatchObject(closed)
    outage.end()
    await closing
    await holder.close()
    expect(provider.call(String((await readFields())['credential']))).toBe(true)
    expect(await readLease(world)).toBe('free')
  })

  it('waits for a call in progress', async () => {
    useVirtualTime()
    const { provider, ref, caller, createKeeper } = await createTokenWorld()
    const keeper = createKeeper({
      refresh: async (token) => {
        await pause(50)
        return provider.refresh(token)
      },
    })
    const call = keeper.accessToken(ref, caller)
    await keeper.close()
    expect(await Promise.race([call, undefined])).toMatch('access-')
  })

  it('waits for a refresh whose call has taken too long, and stores its tokens', async () => {
    useVirtualTime()
    const { provider, ref, caller, createKeeper, readFields } = await createTokenWorld()
    const keeper = createKeeper({
      refresh: async (token) => {
        await pause(5 * leaseMs)
        return provider.refresh(token)
      },
    })
    await expect(keeper.accessToken(ref, caller)).rejects.toMatchObject(unavailable)
    await keeper.close()
    expect(provider.call(String((await readFields())['credential']))).toBe(true)
  })

  it('lets a service that is closed wait until the tokens are stored', async () => {
    useVirtualTime()
    const world = await createOutageWorld()
    const { provider, ref, caller, outage, store, readFields } = world
    const service = world.serviceOn(outage.wrap(store))
    const keeper = world.createKeeper({
      service,
      refresh: async (token) => {
        const tokens = provider.refresh(token)
        outage.begin('every call fails')
        return tokens
      },
    })
    await expect(keeper.accessToken(ref, caller)).rejects.toMatchObject(notStored)
    let isClosed = false
    const closing = service.close().then(() => {
      isClosed = true
    })
    await pause(9 * leaseMs)
    expect(isClosed).toBe(false)
    outage.end()
    await closing
    const { credential = '' } = await readFields()
    expect(provider.call(credential)).toBe(true)
    await keeper.close()
  })
})
