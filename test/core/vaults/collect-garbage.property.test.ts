import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createCaller,
  createVaultService,
  type VaultService,
  type VaultStore,
} from '../../../src/index.js'
import { createFaultyStore, createTestClock } from '../../../src/testing.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { streamOf, utf8 } from '../../support/bytes.js'
import { noteDraft } from '../../support/drafts.js'
import {
  type ContendedStore,
  createContendedStore,
  delayCalls,
} from '../../support/stores/contended-store.js'

const caller = createCaller({ id: 'tester', vaults: '*' })
const vaultId = 'v'.repeat(26)
const history = { maxVersions: 2 }
const hourMs = 3_600_000

describe('collectGarbage', () => {
  it('keeps the blob of every file and removes leftovers, with a clock ahead', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.nat(20),
        fc.nat(16),
        async (scheduler, slowness, callsBeforeCrash) => {
          let isInterleaved = false
          const wait = async (turns: number): Promise<void> => {
            for (let turn = 0; isInterleaved && turn < turns; turn++)
              await scheduler.schedule(Promise.resolve())
          }
          const store = createContendedStore(() => wait(1))
          const slow = delayCalls(store, () => wait(slowness))
          const service = serviceOn(store)
          const items = [await createItem(service), await createItem(service)] as const
          const work = [
            attach(service, items[0]),
            attach(serviceOn(slow), items[0]),
            remove(serviceOn(crashingStore(slow, callsBeforeCrash)), items[0]),
            attach(serviceOn(crashingStore(store, callsBeforeCrash)), items[0]),
            // The next call deletes the item with every acknowledged file.
            () => attach(serviceOn(slow), items[1])().then(() => {}),
            () => serviceOn(slow).deleteItem(caller, { vaultId, itemId: items[1].itemId }),
            () => collectWithClockAhead(store, hourMs),
            () => collectWithClockAhead(store, hourMs),
          ]
          isInterleaved = true
          const running = work.map((start) => start().catch(ignoreExpectedError))
          const outcomes = await scheduler.waitFor(Promise.all(running))
          isInterleaved = false
          await collectWithClockAhead(store, 3 * hourMs)
          await collectWithClockAhead(store, 5 * hourMs)
          const fileIds = await readableFileIds(service)
          for (const fileId of outcomes)
            if (typeof fileId === 'string') expect(fileIds).toContain(fileId)
          await expectNoLeftovers(store, service, fileIds.length)
        },
      ),
      { numRuns: propertyRuns(50) },
    )
  })
})

interface FilledItem {
  readonly itemId: string
  readonly fileId: string
}

/** A service whose clock is ahead by this many milliseconds. */
function serviceOn(store: VaultStore, ahead = 0): VaultService {
  const now = createTestClock()
  now.advance(ahead)
  return createVaultService({ store, history, now })
}

/** Creates an item with a file, and the vault if it does not exist. */
async function createItem(service: VaultService): Promise<FilledItem> {
  await service.createVault(caller, { vaultId, name: 'Vault' }).catch(() => {})
  const { id: itemId } = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
  const file = { vaultId, itemId, name: 'old', content: utf8('old') }
  return { itemId, fileId: (await service.attachFile(caller, file)).id }
}

/** Returns an upload that resolves with the id of the file. */
function attach(service: VaultService, { itemId }: FilledItem): () => Promise<string> {
  return async () => {
    const content = streamOf([utf8('n'), utf8('ew')])
    return (await service.attachFile(caller, { vaultId, itemId, name: 'new', content })).id
  }
}

function remove(service: VaultService, { itemId, fileId }: FilledItem): () => Promise<void> {
  return () => service.removeFile(caller, { vaultId, itemId, fileId })
}

function collectWithClockAhead(store: VaultStore, ahead: number): Promise<number> {
  return serviceOn(store, ahead).collectGarbage(caller, { vaultId })
}

/** The store of a process that crashes after this many calls. */
function crashingStore(store: VaultStore, calls: number): VaultStore {
  return createFaultyStore(store, ({ index }) => (index < calls ? undefined : 'fail-before'))
}

function ignoreExpectedError(error: { readonly code: string }): undefined {
  expect(['CONFLICT', 'NOT_FOUND', 'STORAGE_FAILED']).toContain(error.code)
}

/** The ids of all files, each of which is read and checked. */
async function readableFileIds(service: VaultService): Promise<string[]> {
  const fileIds: string[] = []
  for (const { id: itemId } of await service.listItems(caller, { vaultId })) {
    for (const { id: fileId, size } of await service.listFiles(caller, { vaultId, itemId })) {
      const { content } = await service.readFileContent(caller, { vaultId, itemId, fileId })
      expect((await new Response(content).bytes()).length).toBe(size)
      fileIds.push(fileId)
    }
  }
  return fileIds
}

/** Asserts that only the vault, its items with their versions and `files` blobs are left. */
async function expectNoLeftovers(
  store: ContendedStore,
  service: VaultService,
  files: number,
): Promise<void> {
  const left = await store.listRemaining()
  const items = (await service.listItems(caller, { vaultId })).map(({ id }) => id)
  const others = left.filter(
    (key) =>
      key !== `vaults/${vaultId}` &&
      !items.some((id) => key === `items/${vaultId}/${id}`) &&
      !items.some((id) => key.startsWith(`versions/${vaultId}/${id}.`)),
  )
  expect(others.filter((key) => !key.startsWith(`${vaultId}/`))).toEqual([])
  expect(others).toHaveLength(files)
}
