import { describe, expect, it } from 'vitest'
import { createVaultService, type VaultService, type VaultStore } from '../../../src/index.js'
import {
  createFaultyStore,
  createTestVault,
  type Fault,
  type TestVault,
} from '../../../src/testing.js'
import { streamOf, utf8 } from '../../support/bytes.js'
import { fileRef, getCurrentItem, itemRef } from '../../support/items/refs.js'
import { conflict, invalid, storageFailed } from '../../support/service/rejections.js'
import { createInterruptedStore } from '../../support/stores/interrupted-store.js'
import {
  type BlobTrackingStore,
  createRecordingStore,
  trackBlobs,
} from '../../support/stores/stores.js'

const hourMs = 3_600_000

describe('collectGarbage', () => {
  it('returns 0 when there are no leftovers', async () => {
    const vault = await vaultWithBlobWatch()
    vault.clock.advance(2 * hourMs)
    expect(await collect(vault)).toBe(0)
    await expectNoLeftovers(vault, 2)
  })

  const crashing: Record<string, (service: VaultService, vault: TestVault) => Promise<unknown>> = {
    attachFile: (service, vault) =>
      service.attachFile(vault.caller, { ...itemRef(vault), name: 'f', content: utf8('text') }),
    deleteItem: (service, vault) => service.deleteItem(vault.caller, itemRef(vault)),
    removeFile: (service, vault) => service.removeFile(vault.caller, fileRef(vault)),
  }

  // A crashed process makes no further call to the store, so from one call on all of them fail.
  it.each(
    Object.keys(crashing).flatMap((name) => [
      [name, 'fail-before'] as const,
      [name, 'fail-after'] as const,
    ]),
  )('removes the leftovers of %s after a crash %s each of its calls', async (name, fault) => {
    const run = crashing[name] as NonNullable<(typeof crashing)[string]>
    for (const vault of await crashedVaults(run, fault)) {
      vault.clock.advance(hourMs)
      await collect(vault)
      const left = await vault.service.getItem(vault.caller, itemRef(vault)).catch(() => undefined)
      await expectNoLeftovers(vault, left?.files.length ?? 0)
      const versions = await vault.store.records.list(`versions/${vault.vaultId}`, { limit: 9 })
      expect(versions.length >= 2).toBe(left !== undefined)
      if (left === undefined) expect(versions).toEqual([])
    }
  })

  it('keeps a pending-blob record that cannot be deleted, and deletes it the next time', async () => {
    const vault = await vaultWithBlobWatch()
    await uploadAndCrash(vault)
    vault.clock.advance(hourMs)
    expect(await collect(vault)).toBe(1)
    const store = createFaultyStore(vault.store, ({ collection, method }) =>
      collection?.startsWith('pending-blobs/') && method === 'delete' ? 'fail-before' : undefined,
    )
    vault.clock.advance(hourMs)
    const service = createVaultService({ store, now: vault.clock })
    expect(await service.collectGarbage(vault.caller, { vaultId: vault.vaultId })).toBe(0)
    const query = { limit: 9 }
    const collection = `pending-blobs/${vault.vaultId}`
    expect(await vault.store.records.list(collection, query)).toHaveLength(1)
    expect(await collect(vault)).toBe(0)
    expect(await vault.store.records.list(collection, query)).toEqual([])
  })

  it('returns the number of removed blobs', async () => {
    const vault = await vaultWithBlobWatch()
    await uploadAndCrash(vault)
    await uploadAndCrash(vault)
    expect(vault.store.blobIds.size).toBe(4)
    vault.clock.advance(hourMs)
    expect(await collect(vault)).toBe(2)
    expect(await collect(vault)).toBe(0)
  })

  it.each([
    [undefined, hourMs],
    [60_000, 60_000],
  ])('keeps uploads younger than minAgeMs (%s)', async (minAgeMs, age) => {
    const vault = await vaultWithBlobWatch()
    await uploadAndCrash(vault)
    vault.clock.advance(age - 1)
    expect(await collect(vault, minAgeMs)).toBe(0)
    vault.clock.advance(1)
    expect(await collect(vault, minAgeMs)).toBe(1)
  })

  it.each([0, 59_999, -1, 0.5, Number.NaN, '1'])('rejects minAgeMs %s', async (minAgeMs) => {
    const vault = await vaultWithBlobWatch()
    await expect(collect(vault, minAgeMs as number)).rejects.toMatchObject(invalid())
  })

  it('rejects an upload that takes longer than minAgeMs and leaves nothing of it', async () => {
    const vault = await vaultWithBlobWatch()
    const content = streamOf([utf8('text')])
    const interruptedStore = {
      ...vault.store,
      blobs: {
        ...vault.store.blobs,
        write: async (...[id, stream]: Parameters<VaultStore['blobs']['write']>) => {
          await vault.store.blobs.write(id, stream)
          vault.clock.advance(hourMs)
          await collect(vault)
        },
      },
    }
    const service = createVaultService({ store: interruptedStore, now: vault.clock })
    const upload = service.attachFile(vault.caller, { ...itemRef(vault), name: 'f', content })
    await expect(upload).rejects.toMatchObject(conflict)
    await expectNoLeftovers(vault, 2)
  })

  it.each([
    [
      'collected',
      (vault: TestVault) => vault.service.collectGarbage(vault.caller, { vaultId: vault.vaultId }),
    ],
    [
      'deleted',
      (vault: TestVault) => vault.service.deleteVault(vault.caller, { vaultId: vault.vaultId }),
    ],
  ])(
    'removes a blob that a crashed process stored after its vault was %s',
    async (state, meanwhile) => {
      const vault = await vaultWithBlobWatch()
      let hasCrashed = false
      const store = createFaultyStore(vault.store, ({ method }) => {
        hasCrashed ||= method === 'write'
        return hasCrashed && method !== 'write' ? 'fail-before' : undefined
      })
      const content = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            vault.clock.advance(hourMs)
            await meanwhile(vault)
            controller.enqueue(utf8('SECRET'))
            controller.close()
          },
        },
        { highWaterMark: 0 },
      )
      const files = state === 'collected' ? 2 : 0
      const upload = { ...itemRef(vault), name: 'f', content }
      await expect(serviceOn(vault, store).attachFile(vault.caller, upload)).rejects.toMatchObject(
        storageFailed,
      )
      expect(vault.store.blobIds.size).toBe(files + 1)
      vault.clock.advance(hourMs - 1)
      await collect(vault)
      expect(vault.store.blobIds.size).toBe(files + 1)
      vault.clock.advance(1)
      await collect(vault)
      expect(vault.store.blobIds.size).toBe(files)
      expect(
        await vault.store.records.list(`pending-blobs/${vault.vaultId}`, { limit: 9 }),
      ).toEqual([])
    },
  )

  it('skips a pending-blob record that a concurrent writer updated', async () => {
    const vault = await vaultWithBlobWatch()
    await uploadAndCrash(vault)
    vault.clock.advance(hourMs)
    const store = createFaultyStore(vault.store, ({ method }) =>
      method === 'put' ? 'conflict' : undefined,
    )
    const service = createVaultService({ store, now: vault.clock })
    expect(await service.collectGarbage(vault.caller, { vaultId: vault.vaultId })).toBe(0)
    expect(vault.store.blobIds.size).toBe(3)
  })

  it('retries a failed removal in the next run', async () => {
    const vault = await vaultWithBlobWatch()
    await uploadAndCrash(vault)
    vault.clock.advance(hourMs)
    const store = createFaultyStore(vault.store, (call) =>
      call.store === 'blobs' ? 'fail-before' : undefined,
    )
    const service = createVaultService({ store, now: vault.clock })
    await expect(
      service.collectGarbage(vault.caller, { vaultId: vault.vaultId }),
    ).rejects.toMatchObject(storageFailed)
    vault.clock.advance(hourMs)
    expect(await collect(vault)).toBe(1)
    await expectNoLeftovers(vault, 2)
  })

  it('rejects an upload paused before its put whose blob was removed', async () => {
    const vault = await vaultWithBlobWatch()
    const ahead = createVaultService({
      store: vault.store,
      now: () => new Date(vault.clock().getTime() + 61 * 60_000),
    })
    const paused = createInterruptedStore(vault.store, 'items', 'before', () =>
      ahead.collectGarbage(vault.caller, { vaultId: vault.vaultId }),
    )
    const upload = createVaultService({ store: paused, now: vault.clock }).attachFile(
      vault.caller,
      {
        ...itemRef(vault),
        name: 'f',
        content: utf8('text'),
      },
    )
    await expect(upload).rejects.toMatchObject(conflict)
    expect((await getCurrentItem(vault)).files).toEqual([vault.smallFile, vault.largeFile])
    await expectNoLeftovers(vault, 2)
  })

  it('leaves the blob to a removal that was paused before its put', async () => {
    const vault = await vaultWithBlobWatch()
    const ahead = createVaultService({
      store: vault.store,
      now: () => new Date(vault.clock().getTime() + 61 * 60_000),
    })
    const counts: number[] = []
    const paused = createInterruptedStore(vault.store, 'items', 'before', async () => {
      counts.push(
        await ahead.collectGarbage(vault.caller, { vaultId: vault.vaultId }),
        vault.store.blobIds.size,
      )
    })
    await serviceOn(vault, paused).removeFile(vault.caller, fileRef(vault))
    expect(counts).toEqual([0, 2])
    await expectNoLeftovers(vault, 1)
  })

  it('increments the version of the item and emits item.updated', async () => {
    const vault = await vaultWithBlobWatch()
    const events: unknown[] = []
    vault.service.on('item.updated', (event) => void events.push(event))
    await uploadAndCrash(vault)
    vault.clock.advance(hourMs)
    await collect(vault)
    const { version, ...rest } = vault.item
    expect(await getCurrentItem(vault)).toEqual({ ...rest, version: version + 1 })
    expect(events).toMatchObject([
      { operation: 'collectGarbage', itemId: vault.item.id, version: version + 1 },
    ])
  })

  it('archives the version of the item that it replaces', async () => {
    const vault = await vaultWithBlobWatch()
    await uploadAndCrash(vault)
    vault.clock.advance(hourMs)
    await collect(vault)
    const { service, caller, item } = vault
    const oldVersion = { ...itemRef(vault), version: item.version }
    expect(await service.getVersion(caller, oldVersion)).toStrictEqual(item)
  })

  it.each([
    ['an hour from now', '2026-01-01T01:00:00.000Z', 1],
    ['almost an hour from now', '2026-01-01T00:59:59.999Z', 0],
    ['in the year 275760', '+275760-09-13T00:00:00.000Z', 1],
    ['in an invalid format', 'yesterday', 1],
  ])('handles a pending-blob record with a date %s', async (_, since, removed) => {
    const vault = await vaultWithBlobWatch()
    await leavePendingBlobs(vault, since, [`${vault.vaultId}/${'a'.repeat(26)}`])
    expect(await collect(vault)).toBe(removed)
    expect(vault.store.blobIds.size).toBe(3 - removed)
  })

  it('removes only blobs of its own vault', async () => {
    const vault = await vaultWithBlobWatch()
    const other = await vault.service.createVault(vault.caller, { name: 'Other' })
    const foreign = `${other.id}/${'a'.repeat(26)}`
    await leavePendingBlobs(vault, '2000-01-01T00:00:00.000Z', [foreign, 'x', ''])
    expect(await collect(vault)).toBe(0)
    expect([...vault.store.blobIds]).toContain(foreign)
  })

  it('removes at most 32 blobs at a time', async () => {
    const vault = await vaultWithBlobWatch()
    let [running, maxRunning] = [0, 0]
    const store = {
      ...vault.store,
      blobs: {
        ...vault.store.blobs,
        delete: async (id: string) => {
          maxRunning = Math.max(maxRunning, ++running)
          await vault.store.blobs.delete(id)
          running--
        },
      },
    }
    const blobIds = Array.from(
      { length: 10_000 },
      (_, index) => `${vault.vaultId}/${String(index).padStart(26, '0')}`,
    )
    await leavePendingBlobs(vault, '2000-01-01T00:00:00.000Z', blobIds, 0)
    const { caller, vaultId } = vault
    expect(await serviceOn(vault, store).collectGarbage(caller, { vaultId })).toBe(10_000)
    expect([running, maxRunning]).toEqual([0, 32])
  })

  it('continues after a corrupt pending-blob record, and reports it without repeating it', async () => {
    const vault = await vaultWithBlobWatch()
    for (const id of ['!', '~']) {
      const key = { collection: `pending-blobs/${vault.vaultId}`, id }
      await vault.store.records.put(key, { body: utf8('{"blobIds":["SECRET"]}') }, 0)
    }
    await uploadAndCrash(vault)
    vault.clock.advance(hourMs)
    const messages: string[] = []
    const onUnreadable = (error: Error) => messages.push(error.message)
    const { service, caller, vaultId } = vault
    await service.collectGarbage(caller, { vaultId }, { onUnreadable })
    expect(messages).toHaveLength(2)
    expect(messages.join()).not.toContain('SECRET')
    expect(vault.store.blobIds.size).toBe(2)
  })
})

interface VaultWithBlobWatch extends TestVault {
  readonly store: BlobTrackingStore
}

async function vaultWithBlobWatch(): Promise<VaultWithBlobWatch> {
  const store = trackBlobs()
  return { ...(await createTestVault({ store, history: { maxVersions: 5 } })), store }
}

function collect({ service, caller, vaultId }: TestVault, minAgeMs?: number): Promise<number> {
  return service.collectGarbage(caller, {
    vaultId,
    ...(minAgeMs !== undefined && { minAgeMs: minAgeMs }),
  })
}

/** For each store call of `run`, a vault in which the process crashed at that call. */
async function crashedVaults(
  run: (service: VaultService, vault: TestVault) => Promise<unknown>,
  fault: Fault,
): Promise<VaultWithBlobWatch[]> {
  const complete = await vaultWithBlobWatch()
  const recording = createRecordingStore(complete.store)
  await run(serviceOn(complete, recording), complete)
  expect(recording.calls.length).toBeGreaterThan(3)
  const vaults: VaultWithBlobWatch[] = []
  for (const crashIndex of recording.calls.keys()) {
    const vault = await vaultWithBlobWatch()
    const store = createFaultyStore(vault.store, ({ index }) => {
      if (index < crashIndex) return undefined
      return index === crashIndex ? fault : 'fail-before'
    })
    await run(serviceOn(vault, store), vault).catch(() => {})
    vaults.push(vault)
  }
  return vaults
}

function serviceOn(vault: TestVault, store: VaultStore): VaultService {
  return createVaultService({ store, now: vault.clock, history: { maxVersions: 5 } })
}

async function uploadAndCrash(vault: VaultWithBlobWatch): Promise<void> {
  let hasCrashed = false
  const store = createFaultyStore(vault.store, ({ method }) => {
    const before = hasCrashed
    hasCrashed ||= method === 'write'
    return before ? 'fail-before' : undefined
  })
  const content = utf8('text')
  const upload = serviceOn(vault, store).attachFile(vault.caller, {
    ...itemRef(vault),
    name: 'f',
    content,
  })
  await expect(upload).rejects.toMatchObject(storageFailed)
}

/** Writes a pending-blob record of this date and the first `count` of its blobs. */
async function leavePendingBlobs(
  { store, vaultId, item }: VaultWithBlobWatch,
  since: string,
  blobIds: readonly string[],
  count = 1,
): Promise<void> {
  for (const id of blobIds.slice(0, count)) await store.blobs.write(id, streamOf([utf8('left')]))
  const body = utf8(JSON.stringify({ itemId: item.id, blobIds, since }))
  await store.records.put(
    { collection: `pending-blobs/${vaultId}`, id: 'm'.repeat(26) },
    { body },
    0,
  )
}

/** Asserts that only `files` blobs are left and, after a second run, no pending-blob records. */
async function expectNoLeftovers(vault: VaultWithBlobWatch, files: number): Promise<void> {
  expect(vault.store.blobIds.size).toBe(files)
  vault.clock.advance(hourMs)
  expect(await collect(vault)).toBe(0)
  expect(vault.store.blobIds.size).toBe(files)
  expect(await vault.store.records.list(`pending-blobs/${vault.vaultId}`, { limit: 9 })).toEqual([])
}
