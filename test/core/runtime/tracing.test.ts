import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type Caller,
  createCallbackActivityLog,
  createCaller,
  createVaultService,
  type VaultService,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { invalidPatches } from '../../../src/testing/hostile/patches.js'
import { createTestVault } from '../../../src/testing.js'
import { newVaultId, observedCalls, placeOf } from '../../support/service/observed-calls.js'
import { markedCalls, markedVault } from '../../support/service/secret-marker-calls.js'
import { type CallPlace, nowhere, vaultCalls } from '../../support/service/vault-calls.js'

const channel = tracingChannel('cofferkit.operation')

/** Everything that is published until the test ends, with the message as it was then. */
function published(): [phase: string, message: object][] {
  const seen: [string, object][] = []
  const note = (phase: string) => (message: unknown) => {
    seen.push([phase, { ...Object(message) }])
  }
  const subscribers = {
    start: note('start'),
    end: note('end'),
    asyncStart: note('asyncStart'),
    asyncEnd: note('asyncEnd'),
    error: note('error'),
  }
  channel.subscribe(subscribers)
  onTestFinished(() => void channel.unsubscribe(subscribers))
  return seen
}

/** The ids in the input of the call. */
function namedBy(name: string, { vaultId, itemId }: CallPlace): object {
  if (name === 'createVault') return { vaultId: newVaultId }
  const names = vaultCalls.find((call) => call.name === name)?.names
  if (names === undefined) return {}
  return names === 'vault' ? { vaultId } : { vaultId, itemId }
}

/** A caller, and how often somebody has looked at who he is. */
function watchedCaller(): { caller: Caller; looks(): number } {
  const look = vi.fn(() => 'tester')
  return {
    caller: {
      get id() {
        return look()
      },
      can: () => true,
    },
    looks: () => look.mock.calls.length,
  }
}

describe('the channel cofferkit.operation', () => {
  it.each(observedCalls)('is told when a call begins and ends: $name', async ({ name, run }) => {
    const vault = await createTestVault()
    const seen = published()
    const ref = placeOf(vault)
    await run(vault.service, vault.caller, ref)
    expect(seen.map(([phase]) => phase)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
    const ids = namedBy(name, ref)
    expect(seen[0]?.[1]).toEqual({ operation: name, callerId: 'tester', ...ids })
    expect(seen[3]?.[1]).toEqual({ ...seen[0]?.[1], result: undefined })
  })

  it.each(observedCalls)('is told of an error: $name', async ({ name, run }) => {
    const { service } = await createTestVault()
    const seen = published()
    const error = await run(service, undefined, nowhere).catch((thrown: unknown) => thrown)
    expect(seen.map(([phase]) => phase)).toEqual([
      'start',
      'end',
      'error',
      'asyncStart',
      'asyncEnd',
    ])
    expect(seen[2]?.[1]).toMatchObject({ operation: name, error })
    expect(seen[2]?.[1]).not.toHaveProperty('callerId')
  })

  it('is told the end before the answer is there', async () => {
    const vault = await createTestVault()
    const seen = published()
    await vault.service.getVault(vault.caller, { vaultId: vault.vaultId }).then(() => {
      expect(seen.at(-1)?.[0]).toBe('asyncEnd')
    })
    await vault.service.getVault(vault.caller, { vaultId: 'x' }).catch(() => {
      expect(seen.at(-1)?.[0]).toBe('asyncEnd')
    })
    expect(seen).toHaveLength(9)
  })

  it('is told of ids only if they are ids', async () => {
    const { service } = await createTestVault()
    const seen = published()
    const call = service.getItem(createCaller('me', '*'), {
      vaultId: 'My vault',
      itemId: 'My item',
    })
    await expect(call).rejects.toThrow('Invalid Vault UUID')
    expect(seen[0]?.[1]).toEqual({ operation: 'getItem', callerId: 'me' })
  })

  it('is told of what the activity log does not take, too', async () => {
    const activity = createCallbackActivityLog(() => Promise.reject(new Error('full')))
    const service = createVaultService({ store: createMemoryStore(), activity })
    const seen = published()
    await service.listVaults(createCaller('me', '*'), {}).catch(() => undefined)
    expect(seen[2]?.[1]).toMatchObject({ error: { code: 'ACTIVITY_UNAVAILABLE' } })
  })

  it('is told nothing of an answer or a value, whatever the operation and however it ends', async () => {
    const marker = `mark${crypto.randomUUID()}`
    const vault = await markedVault(marker)
    const { service, caller, vaultId, item } = vault
    const seen = published()
    for (const patch of Object.values(invalidPatches(marker, vaultId)))
      await service
        .patchItem(caller, { vaultId, itemId: item.id, patch: patch as never })
        .catch(() => {})
    for (const who of [undefined, createCaller('me', {}), caller])
      for (const call of Object.values(markedCalls(marker, vault, who as Caller)))
        await call().catch(() => {})
    const words = inspect(seen, { depth: 20, showHidden: true, maxArrayLength: null })
    expect(seen.length).toBeGreaterThan(300)
    expect(words).toContain('InvalidInputError')
    expect(words).not.toContain(marker)
    expect(seen.filter(([, message]) => Reflect.get(message, 'result') !== undefined)).toEqual([])
  })

  it('carries what is bound to its start into the operation, each call its own', async () => {
    const { vaultId, service } = await createTestVault()
    const storage = new AsyncLocalStorage<string>()
    channel.start.bindStore(storage, (message) => String(Reflect.get(Object(message), 'callerId')))
    onTestFinished(() => void channel.start.unbindStore(storage))
    const seen: unknown[] = []
    const asking = (id: string): Caller => ({
      id,
      can: async () => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        seen.push([id, storage.getStore()])
        return true
      },
    })
    await Promise.all(['a', 'b'].map((id) => service.getVault(asking(id), { vaultId })))
    expect(seen.toSorted()).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ])
    expect(storage.getStore()).toBeUndefined()
  })

  it('costs nothing when nobody listens: not even who asks is looked at', async () => {
    const { vaultId, service } = await createTestVault()
    const quiet = watchedCaller()
    await service.getVault(quiet.caller, { vaultId })
    expect(quiet.looks()).toBe(0)
    const seen = published()
    const traced = watchedCaller()
    await service.getVault(traced.caller, { vaultId })
    expect([traced.looks() > 0, seen.length]).toEqual([true, 4])
  })
})

describe('a runtime', () => {
  const builtin = process.getBuiltinModule

  /** A service in a runtime whose module of channels is this. */
  function serviceWhere(module: unknown): VaultService {
    vi.spyOn(process, 'getBuiltinModule').mockImplementation(((name: string) =>
      name === 'node:diagnostics_channel' ? module : builtin(name)) as typeof builtin)
    onTestFinished(() => void vi.restoreAllMocks())
    return createVaultService({ store: createMemoryStore() })
  }

  it.each([undefined, {}])('without such channels has the same operations: %j', async (module) => {
    await expect(serviceWhere(module).listVaults(createCaller('me', '*'), {})).resolves.toEqual([])
  })

  it('without a process, too', async () => {
    vi.stubGlobal('process', undefined)
    const service = createVaultService({ store: createMemoryStore() })
    vi.unstubAllGlobals()
    await expect(service.listVaults(createCaller('me', '*'), {})).resolves.toEqual([])
  })

  it('that cannot say whether anybody listens is told of every call', async () => {
    const told: object[] = []
    const service = serviceWhere({
      tracingChannel: () => ({
        tracePromise: (work: () => Promise<void>, message: object) => {
          told.push(message)
          return work()
        },
      }),
    })
    await service.listVaults(createCaller('me', '*'), {})
    expect(told).toEqual([{ operation: 'listVaults', callerId: 'me' }])
  })
})
