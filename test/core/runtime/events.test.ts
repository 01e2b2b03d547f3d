import { describe, expect, it, vi } from 'vitest'
import { createCallbackActivityLog } from '../../../src/activity.js'
import type { MethodName } from '../../../src/core/vault-service.js'
import {
  createCaller,
  createVaultService,
  type VaultEvent,
  type VaultEventType,
  type VaultService,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createFaultyStore, createTestVault, type TestVaultOptions } from '../../../src/testing.js'
import { invalidItems, invalidPatches } from '../../support/items/invalid-bodies.js'
import { itemRef } from '../../support/items/refs.js'
import { expectedEntry, newVaultId, observedCalls } from '../../support/service/observed-calls.js'
import { toCallRef } from '../../support/service/operation-examples.js'
import { createMarkedCalls, createMarkedVault } from '../../support/service/secret-marker-calls.js'
import { callsWithBody, missingRef, vaultCalls } from '../../support/service/vault-calls.js'

const types: readonly VaultEventType[] = [
  'vault.created',
  'vault.updated',
  'vault.deleted',
  'item.created',
  'item.updated',
  'item.deleted',
]

/** The events that the service emits from now on. */
function eventsOf(service: VaultService): VaultEvent[] {
  const events: VaultEvent[] = []
  for (const type of types) service.on(type, (event) => events.push(event))
  return events
}

/** A test vault and the events that it emits from now on. */
async function vaultWithEvents(options: TestVaultOptions<undefined> = {}) {
  const vault = await createTestVault(options)
  return {
    ...vault,
    ref: itemRef(vault),
    callRef: toCallRef(vault),
    events: eventsOf(vault.service),
  }
}

const verbs = { CREATE: 'created', UPDATE: 'updated', DELETE: 'deleted' } as const

/** Returns the events of an operation on a new test vault, whose item has version 3. */
function expectedEvents(name: MethodName): readonly (readonly [VaultEventType, number])[] {
  const { action, type, version } = expectedEntry(name)
  if (action === 'READ' || version === undefined) return []
  const resource = type === 'ITEM' ? 'item' : 'vault'
  const event = [`${resource}.${verbs[action]}`, version] as const
  return name === 'deleteVault' ? [['item.deleted', 3], event] : [event]
}

describe('createVaultEvents with an activity log', () => {
  it.each(observedCalls)(
    '$name emits the change, the caller and the time',
    async ({ name, run }) => {
      const { service, caller, ref, callRef, events, clock } = await vaultWithEvents({
        activity: createCallbackActivityLog(() => undefined),
      })
      clock.advance(1000)
      await run(service, caller, callRef)
      expect(events).toEqual(
        expectedEvents(name).map(([type, version]) => ({
          type,
          vaultId: name === 'createVault' ? newVaultId : ref.vaultId,
          ...(type.startsWith('item') && {
            itemId: name === 'createItem' ? expect.stringMatching(/^.{26}$/) : ref.itemId,
          }),
          version,
          operation: name,
          callerId: 'tester',
          at: '2026-01-01T00:00:01.000Z',
        })),
      )
    },
  )
})

describe('createVaultEvents emits nothing', () => {
  it('when a call is rejected', async () => {
    const { service, caller, ref, callRef, events } = await vaultWithEvents()
    const rejectedCalls = [
      ...vaultCalls.flatMap(({ run }) => [
        run(service, undefined, callRef),
        run(service, createCaller({ id: 'otherVault', vaults: {} }), callRef),
        run(service, caller, missingRef),
      ]),
      ...callsWithBody.map(({ runBadBody }) => runBadBody(service, caller, callRef)),
      service.patchItem(caller, { ...ref, patch: [], ifVersion: 9 }),
      service.createVault(caller, { vaultId: ref.vaultId, name: 'Again' }),
    ]
    const outcomes = await Promise.allSettled(rejectedCalls)
    expect(outcomes.map(({ status }) => status)).toEqual(rejectedCalls.map(() => 'rejected'))
    expect(events).toEqual([])
  })

  it('when nothing changes', async () => {
    const { service, caller, ref, events } = await vaultWithEvents()
    await service.patchItem(caller, { ...ref, patch: [] })
    await service.setItemState(caller, ref)
    await service.updateVault(caller, { vaultId: ref.vaultId, name: 'Test' })
    await service.collectGarbage(caller, { vaultId: ref.vaultId })
    expect(events).toEqual([])
  })

  it.each(['fail-before', 'fail-after', 'conflict'] as const)(
    'when a write fails: %s',
    async (fault) => {
      let isBroken = false
      const store = createFaultyStore(createMemoryStore(), ({ method, store: half }) =>
        isBroken && half === 'records' && /put|delete/.test(method) ? fault : undefined,
      )
      const { service, caller, ref, events } = await vaultWithEvents({ store })
      isBroken = true
      const patch = [{ op: 'add', path: '/title', value: 'x' }] as const
      const changes = [
        service.createVault(caller, { name: 'x' }),
        ...(fault === 'conflict' ? [] : [service.patchItem(caller, { ...ref, patch })]),
      ]
      expect((await Promise.allSettled(changes)).map(({ status }) => status)).not.toContain(
        'fulfilled',
      )
      expect(events).toEqual([])
    },
  )
})

describe('createVaultEvents', () => {
  it('emits an event after the change can be read', async () => {
    const { service, caller, ref } = await vaultWithEvents()
    const read: Promise<number>[] = []
    service.on('item.updated', ({ vaultId, itemId = '' }) => {
      read.push(service.getItem(caller, { vaultId, itemId }).then(({ version }) => version))
    })
    const patch = [{ op: 'add', path: '/title', value: 'x' }] as const
    await service.patchItem(caller, { ...ref, patch })
    expect(await Promise.all(read)).toEqual([4])
  })

  it('emits before the operation returns, in version order per item', async () => {
    const { service, caller, vaultId, item, events } = await vaultWithEvents()
    const other = await service.createItem(caller, {
      vaultId,
      item: { category: 'LOGIN', vault: { id: vaultId } },
    })
    events.length = 0
    await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        const itemId = index % 2 === 0 ? item.id : other.id
        const patch = [{ op: 'add', path: '/title', value: `${index}` }] as const
        const { version } = await service.patchItem(caller, { vaultId, itemId, patch })
        expect(events).toContainEqual(expect.objectContaining({ itemId, version }))
      }),
    )
    const versionsOf = (id: string) =>
      events.flatMap(({ itemId, version }) => (itemId === id ? [version] : []))
    expect(versionsOf(item.id)).toEqual(Array.from({ length: 32 }, (_, index) => index + 4))
    expect(versionsOf(other.id)).toEqual(Array.from({ length: 32 }, (_, index) => index + 2))
  })

  it('never includes a value of an input or an item', async () => {
    const marker = `mark${crypto.randomUUID()}`
    const vault = await createMarkedVault(marker)
    const { caller, vaultId, item } = vault
    const service = createVaultService({ store: vault.store })
    const events = eventsOf(service)
    for (const body of Object.values(invalidItems(marker, vaultId)))
      await service.createItem(caller, { vaultId, item: body as never }).catch(() => {})
    for (const patch of Object.values(invalidPatches(marker, vaultId)))
      await service
        .patchItem(caller, { vaultId, itemId: item.id, patch: patch as never })
        .catch(() => {})
    for (const call of Object.values(createMarkedCalls(marker, { ...vault, service })))
      await call().catch(() => {})
    expect(events.length).toBeGreaterThan(8)
    expect(JSON.stringify(events)).not.toContain(marker)
  })
})

describe('createVaultEvents: a listener', () => {
  const change = (service: VaultService, name: string) =>
    service.createVault(createCaller({ id: 'me', vaults: '*' }), { name })

  it('is called with events of its type until it is unsubscribed', async () => {
    const { service } = await createTestVault()
    const [created, updated] = [vi.fn(), vi.fn()]
    const unsubscribe = service.on('vault.created', created)
    service.on('vault.updated', updated)
    await change(service, 'a')
    unsubscribe()
    unsubscribe()
    await change(service, 'b')
    expect([created.mock.calls.length, updated.mock.calls.length]).toEqual([1, 0])
  })

  it('is called once per subscription, each of which ends separately', async () => {
    const { service } = await createTestVault()
    const listener = vi.fn()
    const unsubscribe = service.on('vault.created', listener)
    service.on('vault.created', listener)
    await change(service, 'a')
    unsubscribe()
    unsubscribe()
    await change(service, 'b')
    expect(listener).toHaveBeenCalledTimes(3)
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('x')
      },
    ],
    ['rejects', () => Promise.reject(new Error('x'))],
    [
      'returns an object whose then throws',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: a value that a listener can return.
        get then() {
          throw new Error('x')
        },
      }),
    ],
    ['never settles', () => new Promise(() => {})],
  ])('does not affect the operation or other listeners when it %s', async (_, listener) => {
    const { service } = await createTestVault()
    service.on('vault.created', listener)
    const next = vi.fn()
    service.on('vault.created', next)
    await expect(change(service, 'a')).resolves.toMatchObject({ name: 'a' })
    await new Promise((resolve) => setTimeout(resolve, 1))
    expect(next).toHaveBeenCalledOnce()
  })

  it('can unsubscribe itself without affecting the next listener', async () => {
    const { service } = await createTestVault()
    const once = vi.fn(() => unsubscribe())
    const unsubscribe = service.on('vault.created', once)
    const next = vi.fn()
    service.on('vault.created', next)
    await change(service, 'a')
    await change(service, 'b')
    expect([once.mock.calls.length, next.mock.calls.length]).toEqual([1, 2])
  })

  it('is called for a change that started before the subscription', async () => {
    const { service } = await createTestVault()
    const listener = vi.fn()
    const changed = change(service, 'a')
    service.on('vault.created', listener)
    await changed
    expect(listener).toHaveBeenCalledOnce()
  })

  it('is not called after another listener unsubscribed it, even for the same change', async () => {
    const { service } = await createTestVault()
    service.on('vault.created', () => unsubscribe())
    const listener = vi.fn()
    const unsubscribe = service.on('vault.created', listener)
    await change(service, 'a')
    expect(listener).not.toHaveBeenCalled()
  })

  it('cannot modify the event of the next listener', async () => {
    const { service } = await createTestVault()
    service.on('vault.created', (event) => Object.assign(event, { vaultId: 'mine' }))
    const next = vi.fn()
    service.on('vault.created', next)
    const { id } = await change(service, 'a')
    expect(next).toHaveBeenCalledWith(expect.objectContaining({ vaultId: id }))
  })

  it('is called only for changes made through its own service', async () => {
    const { service, store } = await createTestVault()
    const listener = vi.fn()
    service.on('vault.created', listener)
    await change(createVaultService({ store }), 'a')
    expect(listener).not.toHaveBeenCalled()
  })
})
