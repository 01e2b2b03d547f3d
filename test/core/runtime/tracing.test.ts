import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCallbackActivityLog } from '../../../src/activity.js'
import {
  createCaller,
  createVaultService,
  type KnownCaller,
  type VaultService,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault } from '../../../src/testing.js'
import { invalidPatches } from '../../support/items/invalid-bodies.js'
import { newVaultId, observedCalls } from '../../support/service/observed-calls.js'
import { type CallRef, toCallRef } from '../../support/service/operation-examples.js'
import { createMarkedCalls, createMarkedVault } from '../../support/service/secret-marker-calls.js'
import { missingRef, vaultCalls } from '../../support/service/vault-calls.js'

const channel = tracingChannel('cofferkit.operation')

/** Everything that is recordMessages until the test ends, with a copy of each message. */
function recordMessages(): [phase: string, message: object][] {
  const messages: [string, object][] = []
  const record = (phase: string) => (message: unknown) => {
    messages.push([phase, { ...Object(message) }])
  }
  const subscribers = {
    start: record('start'),
    end: record('end'),
    asyncStart: record('asyncStart'),
    asyncEnd: record('asyncEnd'),
    error: record('error'),
  }
  channel.subscribe(subscribers)
  onTestFinished(() => void channel.unsubscribe(subscribers))
  return messages
}

/** The ids in the input of the call. */
function idsOf(name: string, { vaultId, itemId }: CallRef): object {
  if (name === 'createVault') return { vaultId: newVaultId }
  const names = vaultCalls.find((call) => call.name === name)?.names
  if (names === undefined) return {}
  return names === 'vault' ? { vaultId } : { vaultId, itemId }
}

describe('createTracer: the channel cofferkit.operation', () => {
  it.each(observedCalls)('publishes the start and the end of $name', async ({ name, run }) => {
    const vault = await createTestVault()
    const messages = recordMessages()
    const ref = toCallRef(vault)
    await run(vault.service, vault.caller, ref)
    expect(messages.map(([phase]) => phase)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
    const ids = idsOf(name, ref)
    const message = { operation: name, ...ids }
    expect(messages[0]?.[1]).toEqual(message)
    expect(messages[3]?.[1]).toEqual({ ...message, callerId: 'tester', result: undefined })
  })

  it('publishes the request id and a valid traceparent of a call over HTTP', async () => {
    const vault = await createTestVault()
    const messages = recordMessages()
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const given = [traceparent, `${traceparent}-s3cret`, traceparent.replace('0af7', '000G')]
    for (const value of given) {
      const headers = { traceparent: value, 'x-request-id': 'mine' }
      const authorization = `Bearer ${vault.tokens.full}`
      await vault.fetch('/v1/vaults', { headers: { ...headers, authorization } })
    }
    const starts = messages.filter(([phase]) => phase === 'start').map(([, message]) => message)
    const message = { operation: 'listVaults', requestId: 'mine' }
    expect(starts).toEqual([{ ...message, traceparent }, message, message])
  })

  it('publishes an error', async () => {
    const { service } = await createTestVault()
    const messages = recordMessages()
    const error = await service.getItem(undefined, missingRef).catch((thrown: unknown) => thrown)
    expect(messages.map(([phase]) => phase)).toEqual([
      'start',
      'end',
      'error',
      'asyncStart',
      'asyncEnd',
    ])
    expect(messages[2]?.[1]).toMatchObject({ operation: 'getItem', error })
    expect(messages[2]?.[1]).not.toHaveProperty('callerId')
  })

  it('publishes the end before the operation returns', async () => {
    const vault = await createTestVault()
    const messages = recordMessages()
    await vault.service.getVault(vault.caller, { vaultId: vault.vaultId }).then(() => {
      expect(messages.at(-1)?.[0]).toBe('asyncEnd')
    })
    await vault.service.getVault(vault.caller, { vaultId: 'x' }).catch(() => {
      expect(messages.at(-1)?.[0]).toBe('asyncEnd')
    })
    expect(messages).toHaveLength(9)
  })

  it('publishes only well-formed ids', async () => {
    const { service } = await createTestVault()
    const messages = recordMessages()
    const call = service.getItem(createCaller({ id: 'me', vaults: '*' }), {
      vaultId: 'My vault',
      itemId: 'My item',
    })
    await expect(call).rejects.toThrow('vaultId must be an id')
    expect(messages[0]?.[1]).toEqual({ operation: 'getItem' })
    expect(messages[2]?.[1]).toMatchObject({ operation: 'getItem', callerId: 'me' })
  })

  it('publishes a failure of the activity log', async () => {
    const activity = createCallbackActivityLog(() => Promise.reject(new Error('full')))
    const service = createVaultService({ store: createMemoryStore(), activity })
    const messages = recordMessages()
    await service.listVaults(createCaller({ id: 'me', vaults: '*' }), {}).catch(() => undefined)
    expect(messages[2]?.[1]).toMatchObject({ error: { code: 'ACTIVITY_UNAVAILABLE' } })
  })

  it('never publishes a result or a value', async () => {
    const marker = `mark${crypto.randomUUID()}`
    const vault = await createMarkedVault(marker)
    const { service, caller, vaultId, item } = vault
    const messages = recordMessages()
    for (const patch of Object.values(invalidPatches(marker, vaultId)))
      await service
        .patchItem(caller, { vaultId, itemId: item.id, patch: patch as never })
        .catch(() => {})
    for (const actor of [undefined, createCaller({ id: 'me', vaults: {} }), caller])
      for (const call of Object.values(createMarkedCalls(marker, vault, actor as KnownCaller)))
        await call().catch(() => {})
    const text = inspect(messages, { depth: 20, showHidden: true, maxArrayLength: null })
    expect(messages.length).toBeGreaterThan(300)
    expect(text).toContain('InvalidInputError')
    expect(text).not.toContain(marker)
    expect(messages.filter(([, message]) => Reflect.get(message, 'result') !== undefined)).toEqual(
      [],
    )
  })

  it('runs each operation in its own bound AsyncLocalStorage context', async () => {
    const { vaultId, service } = await createTestVault()
    const storage = new AsyncLocalStorage<string>()
    channel.start.bindStore(storage, (message) => String(Reflect.get(Object(message), 'vaultId')))
    onTestFinished(() => void channel.start.unbindStore(storage))
    const seen: unknown[] = []
    const callerWithId = (id: string) => ({
      id,
      can: async () => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        seen.push([id, storage.getStore()])
        return true
      },
    })
    const otherId = 'z'.repeat(26)
    await service.createVault(createCaller({ id: 'me', vaults: '*' }), {
      vaultId: otherId,
      name: 'Other',
    })
    await Promise.all([
      service.getVault(callerWithId('a'), { vaultId }),
      service.getVault(callerWithId('b'), { vaultId: otherId }),
    ])
    expect(seen.toSorted()).toEqual([
      ['a', vaultId],
      ['b', otherId],
    ])
    expect(storage.getStore()).toBeUndefined()
  })
})

describe('createTracer in other runtimes', () => {
  const builtin = process.getBuiltinModule

  /** A service in a runtime with this `node:diagnostics_channel` module. */
  function serviceWithModule(module: unknown): VaultService {
    vi.spyOn(process, 'getBuiltinModule').mockImplementation(((name: string) =>
      name === 'node:diagnostics_channel' ? module : builtin(name)) as typeof builtin)
    onTestFinished(() => void vi.restoreAllMocks())
    return createVaultService({ store: createMemoryStore() })
  }

  it.each([undefined, {}])('runs operations without tracing channels: %j', async (module) => {
    await expect(
      serviceWithModule(module).listVaults(createCaller({ id: 'me', vaults: '*' }), {}),
    ).resolves.toEqual([])
  })

  it('runs operations without a process global', async () => {
    vi.stubGlobal('process', undefined)
    const service = createVaultService({ store: createMemoryStore() })
    vi.unstubAllGlobals()
    await expect(service.listVaults(createCaller({ id: 'me', vaults: '*' }), {})).resolves.toEqual(
      [],
    )
  })

  it('publishes every call when the channel has no hasSubscribers', async () => {
    const messages: object[] = []
    const service = serviceWithModule({
      tracingChannel: () => ({
        tracePromise: (work: () => Promise<void>, message: object) => {
          messages.push(message)
          return work()
        },
      }),
    })
    await service.listVaults(createCaller({ id: 'me', vaults: '*' }), {})
    expect(messages).toEqual([{ operation: 'listVaults', callerId: 'me' }])
  })
})
