import { describe, expect, it } from 'vitest'
import { createVaultService, type VaultService, type VaultStore } from '../../../src/index.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../../src/testing.js'
import { itemRef } from '../../support/items/refs.js'
import { conflict, storageFailed } from '../../support/service/rejections.js'
import { createInterruptedStore } from '../../support/stores/interrupted-store.js'
import { createRecordingStore } from '../../support/stores/stores.js'

describe('updateItem', () => {
  describe('with concurrent writers', () => {
    it.each([
      ['64 in one service', 1],
      ['64 in two independent services', 2],
      ['64 in eight services', 8],
    ])('loses no change and numbers versions without a gap: %s', async (_, count) => {
      const vault = await createTestVault()
      const slow = slowStore(vault.store)
      const services = Array.from({ length: count }, () => createVaultService({ store: slow }))
      const changes = Array.from({ length: 64 }, (_member, index) =>
        addTag(services[index % count] ?? vault.service, vault, `tag ${index}`),
      )
      const versions = (await Promise.all(changes)).map(
        ({ version }) => version - vault.item.version,
      )
      const { tags, version } = await vault.service.getItem(vault.caller, itemRef(vault))
      expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_v, n) => n + 1))
      expect(tags.toSorted()).toEqual(
        [...vault.item.tags, ...Array.from({ length: 64 }, (_v, n) => `tag ${n}`)].sort(),
      )
      expect(version).toBe(vault.item.version + 64)
    })

    it('queues the writers of one service, so that each puts once', async () => {
      const vault = await createTestVault()
      const store = createRecordingStore(slowStore(vault.store))
      const service = createVaultService({ store })
      await Promise.all(['a', 'b', 'c', 'd'].map((tag) => addTag(service, vault, tag)))
      expect(store.calls).toEqual(Array(4).fill(['records.get', 'records.put']).flat())
    })

    it('queues a change and a deletion in one service', async () => {
      const vault = await createTestVault()
      const store = createRecordingStore(slowStore(vault.store))
      const service = createVaultService({ store })
      const change = addTag(service, vault, 'a')
      const deletion = service.deleteItem(vault.caller, itemRef(vault))
      await Promise.allSettled([change, deletion])
      expect(store.calls.slice(0, 2)).toEqual(['records.get', expect.not.stringMatching('get')])
    })

    it('does not queue the changes of different items together', async () => {
      const vault = await createTestVault()
      const other = await vault.service.createItem(vault.caller, {
        vaultId: vault.vaultId,
        item: vault.item,
      })
      const gate = Promise.withResolvers<void>()
      const { records, blobs } = vault.store
      const store = {
        records: {
          ...records,
          put: async (...[key, record, expectedVersion]: Parameters<typeof records.put>) => {
            if (key.id === vault.item.id) await gate.promise
            return records.put(key, record, expectedVersion)
          },
        },
        blobs,
      }
      const service = createVaultService({ store })
      const waiting = addTag(service, vault, 'late')
      expect(await addTag(service, { ...vault, item: other }, 'early')).toMatchObject({
        version: 2,
      })
      gate.resolve()
      expect(await waiting).toMatchObject({ version: vault.item.version + 1 })
    })

    it('rejects changes with NOT_FOUND after a deletion', async () => {
      const vault = await createTestVault()
      const { service, caller } = vault
      const deletion = service.deleteItem(caller, itemRef(vault))
      const changes = ['a', 'b', 'c'].map((tag) => addTag(service, vault, tag))
      await expect(deletion).resolves.toBeUndefined()
      for (const outcome of await Promise.allSettled(changes)) {
        if (outcome.status === 'rejected')
          expect(outcome.reason).toMatchObject({ code: 'NOT_FOUND' })
      }
      expect(await service.listItems(caller, { vaultId: vault.vaultId })).toEqual([])
    })
  })

  describe('with a write conflict', () => {
    it('retries the change on the newer item', async () => {
      const vault = await createTestVault()
      const store = createInterruptedStore(vault.store, 'items', 'before', () =>
        addTag(vault.service, vault, 'concurrent'),
      )
      const service = createVaultService({ store })
      const item = await addTag(service, vault, 'retried')
      expect(item.tags).toEqual(['work', 'mail', 'concurrent', 'retried'])
      expect(item.version).toBe(vault.item.version + 2)
      expect(service.stats).toEqual({ writeConflicts: 1, storeErrors: 0 })
    })

    it('throws PRECONDITION_FAILED when ifVersion no longer matches', async () => {
      const vault = await createTestVault()
      const store = createInterruptedStore(vault.store, 'items', 'before', () =>
        addTag(vault.service, vault, 'concurrent'),
      )
      const change = addTag(createVaultService({ store }), vault, 'retried', vault.item.version)
      await expect(change).rejects.toMatchObject({ code: 'PRECONDITION_FAILED', status: 412 })
    })

    it('throws INVALID_INPUT when the change does not apply to the newer item', async () => {
      const vault = await createTestVault()
      const store = createInterruptedStore(vault.store, 'items', 'before', () =>
        vault.service.patchItem(vault.caller, {
          ...itemRef(vault),
          patch: [{ op: 'remove', path: '/fields/pin' }],
        }),
      )
      const change = createVaultService({ store }).patchItem(vault.caller, {
        ...itemRef(vault),
        patch: [{ op: 'replace', path: '/fields/pin/value', value: '9' }],
      })
      await expect(change).rejects.toMatchObject({ code: 'INVALID_INPUT', status: 400 })
    })

    it('throws NOT_FOUND when the item was deleted concurrently', async () => {
      const vault = await createTestVault()
      const store = createInterruptedStore(vault.store, 'items', 'before', () =>
        vault.service.deleteItem(vault.caller, itemRef(vault)),
      )
      const change = addTag(createVaultService({ store }), vault, 'retried')
      await expect(change).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
    })

    it.concurrent.each<
      [string, (service: VaultService, vault: TestVault) => Promise<unknown>, string]
    >([
      ['patchItem', (service, vault) => addTag(service, vault, 'x'), 'put'],
      [
        'replaceItem',
        (service, vault) =>
          service.replaceItem(vault.caller, { ...itemRef(vault), item: vault.item }),
        'put',
      ],
      [
        'setItemState',
        (service, vault) =>
          service.setItemState(vault.caller, { ...itemRef(vault), state: 'ARCHIVED' }),
        'put',
      ],
      [
        'deleteItem',
        (service, vault) => service.deleteItem(vault.caller, itemRef(vault)),
        'delete',
      ],
    ])(
      '%s rejects with 409 after 32 attempts and leaves the item unchanged',
      async (_, run, method) => {
        const vault = await createTestVault()
        const store = createRecordingStore(
          createFaultyStore(vault.store, (call) =>
            call.method === method ? 'conflict' : undefined,
          ),
        )
        await expect(
          run(createVaultService({ store, retry: { sleep: async () => {} } }), vault),
        ).rejects.toMatchObject({
          ...conflict,
          message: `item ${vault.item.id} has too many concurrent changes`,
        })
        // A deletion records the pending blobs in each attempt. When it has given up, it reads
        // which blobs the item still names and tries three times to delete its record of them.
        const attempt = [
          'records.get',
          'records.put',
          ...(method === 'delete' ? ['records.delete'] : []),
        ]
        const cleanUp = ['records.delete', 'records.get']
        const after = method === 'delete' ? ['records.get', ...cleanUp, ...cleanUp, ...cleanUp] : []
        expect(store.calls).toEqual([...Array(32).fill(attempt).flat(), ...after])
        expect(await vault.service.getItem(vault.caller, itemRef(vault))).toStrictEqual(vault.item)
      },
    )
  })

  describe('with a failing put', () => {
    it.each(['fail-before', 'fail-after'] as const)('does not retry: %s', async (fault) => {
      const vault = await createTestVault()
      const store = createRecordingStore(
        createFaultyStore(vault.store, ({ method }) => (method === 'put' ? fault : undefined)),
      )
      const service = createVaultService({ store })
      await expect(addTag(service, vault, 'x')).rejects.toMatchObject(storageFailed)
      expect(store.calls).toEqual(['records.get', 'records.put'])
      expect(service.stats).toEqual({ writeConflicts: 0, storeErrors: 1 })
    })

    it('does not block the next change', async () => {
      const vault = await createTestVault()
      let puts = 0
      const store = createFaultyStore(vault.store, ({ method }) =>
        method === 'put' && puts++ === 0 ? 'fail-before' : undefined,
      )
      const service = createVaultService({ store })
      const [first, second] = await Promise.allSettled([
        addTag(service, vault, 'lost'),
        addTag(service, vault, 'kept'),
      ])
      expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled'])
      const { tags } = await vault.service.getItem(vault.caller, itemRef(vault))
      expect(tags).toEqual(['work', 'mail', 'kept'])
    })
  })
})

function addTag(
  service: VaultService,
  { caller, ...vault }: TestVault,
  value: string,
  ifVersion?: number,
): ReturnType<VaultService['patchItem']> {
  const patch = [{ op: 'add' as const, path: '/tags/-', value }]
  return service.patchItem(caller, { ...itemRef(vault), patch, ifVersion })
}

/** Delays every get and put by one turn of the event loop, so that calls interleave. */
function slowStore(inner: VaultStore): VaultStore {
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
  const { records, blobs } = inner
  return {
    records: {
      ...records,
      get: (key) => nextTurn().then(() => records.get(key)),
      put: (key, record, expectedVersion) =>
        nextTurn().then(() => records.put(key, record, expectedVersion)),
    },
    blobs,
  }
}
