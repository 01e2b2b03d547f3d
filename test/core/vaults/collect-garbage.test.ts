import { describe, expect, it } from 'vitest'
import { createVaultService, type VaultService, type VaultStore } from '../../../src/index.js'
import {
  createFaultyStore,
  createTestVault,
  type Fault,
  type TestVault,
} from '../../../src/testing.js'
import { streamOf, utf8 } from '../../support/bytes.js'
import { filePlace, itemNow, itemPlace } from '../../support/items/refs.js'
import { conflict, invalid, storageFailed } from '../../support/service/rejections.js'
import { interrupted } from '../../support/stores/interrupted-store.js'
import { type BlobWatch, recordingStore, watchBlobs } from '../../support/stores/stores.js'

const anHour = 3_600_000

describe('collectGarbage', () => {
  it('finds nothing where nothing was left behind', async () => {
    const vault = await watchedVault()
    vault.clock.advance(2 * anHour)
    expect(await sweep(vault)).toBe(0)
    await expectNothingLeft(vault, 2)
  })

  // A crash is a process that makes no further call to the store: from some call on, all of them fail.
  it.each(['fail-before', 'fail-after'] as const)(
    'removes what attachFile leaves, wherever the process ended: %s each of its calls',
    async (fault) => {
      const run = (service: VaultService, vault: TestVault): Promise<unknown> =>
        service.attachFile(vault.caller, { ...itemPlace(vault), name: 'f', content: utf8('text') })
      for (const vault of await crashedVaults(run, fault)) {
        vault.clock.advance(anHour)
        await sweep(vault)
        const { files } = await vault.service.getItem(vault.caller, itemPlace(vault))
        await expectNothingLeft(vault, files.length)
      }
    },
  )

  it.each(['fail-before', 'fail-after'] as const)(
    'removes what deleteItem leaves, wherever the process ended: %s each of its calls',
    async (fault) => {
      const run = (service: VaultService, vault: TestVault): Promise<unknown> =>
        service.deleteItem(vault.caller, itemPlace(vault))
      for (const vault of await crashedVaults(run, fault)) {
        vault.clock.advance(anHour)
        await sweep(vault)
        const items = await vault.service.listItems(vault.caller, vault)
        await expectNothingLeft(vault, items.length === 0 ? 0 : 2)
        const versions = await vault.store.records.list(`versions/${vault.vaultId}`, { limit: 9 })
        expect(versions).toHaveLength(items.length === 0 ? 0 : 2)
      }
    },
  )

  it.each(['fail-before', 'fail-after'] as const)(
    'removes what removeFile leaves, wherever the process ended: %s each of its calls',
    async (fault) => {
      const run = (service: VaultService, vault: TestVault): Promise<unknown> =>
        service.removeFile(vault.caller, filePlace(vault))
      for (const vault of await crashedVaults(run, fault)) {
        vault.clock.advance(anHour)
        await sweep(vault)
        const { files } = await vault.service.getItem(vault.caller, itemPlace(vault))
        await expectNothingLeft(vault, files.length)
      }
    },
  )

  it('answers how many contents it removed', async () => {
    const vault = await watchedVault()
    await uploadAndCrash(vault)
    await uploadAndCrash(vault)
    expect(vault.store.blobIds.size).toBe(4)
    vault.clock.advance(anHour)
    expect(await sweep(vault)).toBe(2)
    expect(await sweep(vault)).toBe(0)
  })

  it.each([
    [undefined, anHour],
    [60_000, 60_000],
  ])('leaves what began less than %s milliseconds ago', async (minAgeMs, age) => {
    const vault = await watchedVault()
    await uploadAndCrash(vault)
    vault.clock.advance(age - 1)
    expect(await sweep(vault, minAgeMs)).toBe(0)
    vault.clock.advance(1)
    expect(await sweep(vault, minAgeMs)).toBe(1)
  })

  it.each([0, 59_999, -1, 0.5, Number.NaN, '1'])('refuses %s as an age', async (minAgeMs) => {
    const vault = await watchedVault()
    await expect(sweep(vault, minAgeMs as number)).rejects.toMatchObject(invalid())
  })

  it('refuses an upload that takes longer, in the end, and nothing of it stays', async () => {
    const vault = await watchedVault()
    const content = streamOf([utf8('text')])
    const swept = {
      ...vault.store,
      blobs: {
        ...vault.store.blobs,
        write: async (...[id, stream]: Parameters<VaultStore['blobs']['write']>) => {
          await vault.store.blobs.write(id, stream)
          vault.clock.advance(anHour)
          await sweep(vault)
        },
      },
    }
    const service = createVaultService({ store: swept, now: vault.clock })
    const upload = service.attachFile(vault.caller, { ...itemPlace(vault), name: 'f', content })
    await expect(upload).rejects.toMatchObject(conflict)
    await expectNothingLeft(vault, 2)
  })

  it.each([
    ['swept', (vault: TestVault) => vault.service.collectGarbage(vault.caller, vault)],
    ['deleted', (vault: TestVault) => vault.service.deleteVault(vault.caller, vault)],
  ])(
    'removes a content that was stored after its vault was %s, by a process that then ended',
    async (_, meanwhile) => {
      const vault = await watchedVault()
      let isOver = false
      const store = createFaultyStore(vault.store, ({ method }) => {
        isOver ||= method === 'write'
        return isOver && method !== 'write' ? 'fail-before' : undefined
      })
      const content = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            vault.clock.advance(anHour)
            await meanwhile(vault)
            controller.enqueue(utf8('SECRET'))
            controller.close()
          },
        },
        { highWaterMark: 0 },
      )
      const files = _ === 'swept' ? 2 : 0
      const upload = { ...itemPlace(vault), name: 'f', content }
      await expect(serviceOn(vault, store).attachFile(vault.caller, upload)).rejects.toMatchObject(
        storageFailed,
      )
      expect(vault.store.blobIds.size).toBe(files + 1)
      vault.clock.advance(anHour - 1)
      await sweep(vault)
      expect(vault.store.blobIds.size).toBe(files + 1)
      vault.clock.advance(1)
      await sweep(vault)
      expect(vault.store.blobIds.size).toBe(files)
      expect(
        await vault.store.records.list(`pending-blobs/${vault.vaultId}`, { limit: 9 }),
      ).toEqual([])
    },
  )

  it('leaves a note to whoever was first to take it', async () => {
    const vault = await watchedVault()
    await uploadAndCrash(vault)
    vault.clock.advance(anHour)
    const store = createFaultyStore(vault.store, ({ method }) =>
      method === 'put' ? 'conflict' : undefined,
    )
    const service = createVaultService({ store, now: vault.clock })
    expect(await service.collectGarbage(vault.caller, vault)).toBe(0)
    expect(vault.store.blobIds.size).toBe(3)
  })

  it('comes back to what it could not remove', async () => {
    const vault = await watchedVault()
    await uploadAndCrash(vault)
    vault.clock.advance(anHour)
    const store = createFaultyStore(vault.store, (call) =>
      call.store === 'blobs' ? 'fail-before' : undefined,
    )
    const service = createVaultService({ store, now: vault.clock })
    await expect(service.collectGarbage(vault.caller, vault)).rejects.toMatchObject(storageFailed)
    vault.clock.advance(anHour)
    expect(await sweep(vault)).toBe(1)
    await expectNothingLeft(vault, 2)
  })

  it('refuses an upload that was paused before its put, whose content it has removed', async () => {
    const vault = await watchedVault()
    const ahead = createVaultService({
      store: vault.store,
      now: () => new Date(vault.clock().getTime() + 61 * 60_000),
    })
    const paused = interrupted(vault.store, 'items', 'before', () =>
      ahead.collectGarbage(vault.caller, vault),
    )
    const upload = createVaultService({ store: paused, now: vault.clock }).attachFile(
      vault.caller,
      {
        ...itemPlace(vault),
        name: 'f',
        content: utf8('text'),
      },
    )
    await expect(upload).rejects.toMatchObject(conflict)
    expect((await itemNow(vault)).files).toEqual([vault.smallFile, vault.largeFile])
    await expectNothingLeft(vault, 2)
  })

  it('keeps the content of a removal that was paused before its put, which removes it itself', async () => {
    const vault = await watchedVault()
    const ahead = createVaultService({
      store: vault.store,
      now: () => new Date(vault.clock().getTime() + 61 * 60_000),
    })
    const swept: number[] = []
    const paused = interrupted(vault.store, 'items', 'before', async () => {
      swept.push(await ahead.collectGarbage(vault.caller, vault), vault.store.blobIds.size)
    })
    await serviceOn(vault, paused).removeFile(vault.caller, filePlace(vault))
    expect(swept).toEqual([0, 2])
    await expectNothingLeft(vault, 1)
  })

  it('makes the next version of the item, in which nothing else is other, and says so', async () => {
    const vault = await watchedVault()
    const events: unknown[] = []
    vault.service.on('item.updated', (event) => void events.push(event))
    await uploadAndCrash(vault)
    vault.clock.advance(anHour)
    await sweep(vault)
    const { version, ...rest } = vault.item
    expect(await itemNow(vault)).toEqual({ ...rest, version: version + 1 })
    expect(events).toMatchObject([
      { operation: 'collectGarbage', itemId: vault.item.id, version: version + 1 },
    ])
  })

  it.each([
    ['later than now by an hour', '2026-01-01T01:00:00.000Z', 1],
    ['later than now by almost an hour', '2026-01-01T00:59:59.999Z', 0],
    ['of the year 275760', '+275760-09-13T00:00:00.000Z', 1],
    ['that is none', 'yesterday', 1],
  ])('takes a note of a date %s', async (_, since, removed) => {
    const vault = await watchedVault()
    await leaveNote(vault, since, [`${vault.vaultId}/${'a'.repeat(26)}`])
    expect(await sweep(vault)).toBe(removed)
    expect(vault.store.blobIds.size).toBe(3 - removed)
  })

  it('removes only contents of its own vault, whatever a note says', async () => {
    const vault = await watchedVault()
    const other = await vault.service.createVault(vault.caller, { name: 'Other' })
    const foreign = `${other.id}/${'a'.repeat(26)}`
    await leaveNote(vault, '2000-01-01T00:00:00.000Z', [foreign, 'x', ''])
    expect(await sweep(vault)).toBe(0)
    expect([...vault.store.blobIds]).toContain(foreign)
  })

  it('removes a few contents at a time, however many a note names', async () => {
    const vault = await watchedVault()
    let [running, most] = [0, 0]
    const store = {
      ...vault.store,
      blobs: {
        ...vault.store.blobs,
        delete: async (id: string) => {
          most = Math.max(most, ++running)
          await vault.store.blobs.delete(id)
          running--
        },
      },
    }
    const blobIds = Array.from(
      { length: 10_000 },
      (_, index) => `${vault.vaultId}/${String(index).padStart(26, '0')}`,
    )
    await leaveNote(vault, '2000-01-01T00:00:00.000Z', blobIds, 0)
    expect(await serviceOn(vault, store).collectGarbage(vault.caller, vault)).toBe(10_000)
    expect([running, most]).toEqual([0, 32])
  })

  it('goes on after a note that it cannot sweep, and fails in the end', async () => {
    const vault = await watchedVault()
    for (const id of ['!', '~']) {
      const key = { collection: `pending-blobs/${vault.vaultId}`, id }
      await vault.store.records.put(key, { body: utf8('no note') }, 0)
    }
    await uploadAndCrash(vault)
    vault.clock.advance(anHour)
    await expect(sweep(vault)).rejects.toMatchObject(storageFailed)
    expect(vault.store.blobIds.size).toBe(2)
  })

  it('fails as the store at a note that no vault wrote', async () => {
    const vault = await watchedVault()
    const key = { collection: `pending-blobs/${vault.vaultId}`, id: 'x' }
    await vault.store.records.put(key, { body: utf8('{"blobIds":["SECRET"]}') }, 0)
    const failure = sweep(vault)
    await expect(failure).rejects.toMatchObject(storageFailed)
    await expect(failure).rejects.not.toThrow(/SECRET/)
  })
})

interface WatchedVault extends TestVault {
  readonly store: BlobWatch
}

async function watchedVault(): Promise<WatchedVault> {
  const store = watchBlobs()
  return { ...(await createTestVault({ store, history: { maxVersions: 5 } })), store }
}

function sweep({ service, caller, vaultId }: TestVault, minAgeMs?: number): Promise<number> {
  return service.collectGarbage(caller, {
    vaultId,
    ...(minAgeMs !== undefined && { minAgeMs: minAgeMs }),
  })
}

/** For each call that `run` makes to its store, a vault in which the process ended at that call. */
async function crashedVaults(
  run: (service: VaultService, vault: TestVault) => Promise<unknown>,
  fault: Fault,
): Promise<WatchedVault[]> {
  const whole = await watchedVault()
  const recording = recordingStore(whole.store)
  await run(serviceOn(whole, recording), whole)
  expect(recording.calls.length).toBeGreaterThan(3)
  const vaults: WatchedVault[] = []
  for (const end of recording.calls.keys()) {
    const vault = await watchedVault()
    const store = createFaultyStore(vault.store, ({ index }) => {
      if (index < end) return undefined
      return index === end ? fault : 'fail-before'
    })
    await run(serviceOn(vault, store), vault).catch(() => {})
    vaults.push(vault)
  }
  return vaults
}

function serviceOn(vault: TestVault, store: VaultStore): VaultService {
  return createVaultService({ store, now: vault.clock, history: { maxVersions: 5 } })
}

async function uploadAndCrash(vault: WatchedVault): Promise<void> {
  let isOver = false
  const store = createFaultyStore(vault.store, ({ method }) => {
    const before = isOver
    isOver ||= method === 'write'
    return before ? 'fail-before' : undefined
  })
  const content = utf8('text')
  const upload = serviceOn(vault, store).attachFile(vault.caller, {
    ...itemPlace(vault),
    name: 'f',
    content,
  })
  await expect(upload).rejects.toMatchObject(storageFailed)
}

/** A note of this date, and the first `contents` of the contents that it names. */
async function leaveNote(
  { store, vaultId, item }: WatchedVault,
  since: string,
  blobIds: readonly string[],
  contents = 1,
): Promise<void> {
  for (const id of blobIds.slice(0, contents)) await store.blobs.write(id, streamOf([utf8('left')]))
  const body = utf8(JSON.stringify({ itemId: item.id, blobIds, since }))
  await store.records.put(
    { collection: `pending-blobs/${vaultId}`, id: 'm'.repeat(26) },
    { body },
    0,
  )
}

/** No more contents than there are files are left, and after a second sweep no note. */
async function expectNothingLeft(vault: WatchedVault, files: number): Promise<void> {
  expect(vault.store.blobIds.size).toBe(files)
  vault.clock.advance(anHour)
  expect(await sweep(vault)).toBe(0)
  expect(vault.store.blobIds.size).toBe(files)
  expect(await vault.store.records.list(`pending-blobs/${vault.vaultId}`, { limit: 9 })).toEqual([])
}
