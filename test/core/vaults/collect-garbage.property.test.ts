import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createCaller,
  createVaultService,
  type VaultService,
  type VaultStore,
} from '../../../src/index.js'
import { createFaultyStore, createTestClock, noteDraft } from '../../../src/testing.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { streamOf, utf8 } from '../../support/bytes.js'
import {
  type CrowdedStore,
  crowdedStore,
  waitingStore,
} from '../../support/stores/contended-store.js'

const caller = createCaller('tester', '*')
const vaultId = 'v'.repeat(26)
const history = { maxVersions: 2 }
const anHour = 3_600_000

describe('collectGarbage', () => {
  it('never takes the content of a file that an item names, and finds what a crash leaves, though its clock is ahead', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.nat(20),
        fc.nat(16),
        async (scheduler, slowness, callsBeforeCrash) => {
          let isCrowded = false
          const wait = async (turns: number): Promise<void> => {
            for (let turn = 0; isCrowded && turn < turns; turn++)
              await scheduler.schedule(Promise.resolve())
          }
          const store = crowdedStore(() => wait(1))
          const slow = waitingStore(store, () => wait(slowness))
          const service = serviceOn(store)
          const items = [await createItem(service), await createItem(service)] as const
          const work = [
            attach(service, items[0]),
            attach(serviceOn(slow), items[0]),
            remove(serviceOn(crashing(slow, callsBeforeCrash)), items[0]),
            attach(serviceOn(crashing(store, callsBeforeCrash)), items[0]),
            // Deleted by the next, with whatever was acknowledged.
            () => attach(serviceOn(slow), items[1])().then(() => {}),
            () => serviceOn(slow).deleteItem(caller, { vaultId, itemId: items[1].itemId }),
            () => sweep(store, anHour),
            () => sweep(store, anHour),
          ]
          isCrowded = true
          const running = work.map((start) => start().catch(expectRefusal))
          const outcomes = await scheduler.waitFor(Promise.all(running))
          isCrowded = false
          await sweep(store, 3 * anHour)
          await sweep(store, 5 * anHour)
          const named = await filesThatCanBeRead(service)
          for (const fileId of outcomes)
            if (typeof fileId === 'string') expect(named).toContain(fileId)
          await expectNothingElse(store, service, named.length)
        },
      ),
      { numRuns: propertyRuns(500) },
    )
  }, 120_000)
})

interface FilledItem {
  readonly itemId: string
  readonly fileId: string
}

/** A service whose clock is ahead by so many milliseconds. */
function serviceOn(store: VaultStore, ahead = 0): VaultService {
  const now = createTestClock()
  now.advance(ahead)
  return createVaultService({ store, history, now })
}

/** An item with a file, in a vault that is created with the first. */
async function createItem(service: VaultService): Promise<FilledItem> {
  await service.createVault(caller, { vaultId, name: 'Vault' }).catch(() => {})
  const { id: itemId } = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
  const file = { vaultId, itemId, name: 'old', content: utf8('old') }
  return { itemId, fileId: (await service.attachFile(caller, file)).id }
}

/** Resolves with the file's id. */
function attach(service: VaultService, { itemId }: FilledItem): () => Promise<string> {
  return async () => {
    const content = streamOf([utf8('n'), utf8('ew')])
    return (await service.attachFile(caller, { vaultId, itemId, name: 'new', content })).id
  }
}

function remove(service: VaultService, { itemId, fileId }: FilledItem): () => Promise<void> {
  return () => service.removeFile(caller, { vaultId, itemId, fileId })
}

function sweep(store: VaultStore, ahead: number): Promise<number> {
  return serviceOn(store, ahead).collectGarbage(caller, { vaultId })
}

/** The store of a process that ends after so many calls. */
function crashing(store: VaultStore, calls: number): VaultStore {
  return createFaultyStore(store, ({ index }) => (index < calls ? undefined : 'fail-before'))
}

function expectRefusal(error: { readonly code: string }): undefined {
  expect(['CONFLICT', 'NOT_FOUND', 'STORAGE_FAILED']).toContain(error.code)
}

/** Every file of every item, each of which has its content. */
async function filesThatCanBeRead(service: VaultService): Promise<string[]> {
  const found: string[] = []
  for (const { id: itemId } of await service.listItems(caller, { vaultId })) {
    for (const { id: fileId, size } of await service.listFiles(caller, { vaultId, itemId })) {
      const { content } = await service.readFileContent(caller, { vaultId, itemId, fileId })
      expect((await new Response(content).bytes()).length).toBe(size)
      found.push(fileId)
    }
  }
  return found
}

/** Nothing is left but the vault, its items with their versions, and as many contents as there are files. */
async function expectNothingElse(
  store: CrowdedStore,
  service: VaultService,
  files: number,
): Promise<void> {
  const left = await store.left()
  const items = (await service.listItems(caller, { vaultId })).map(({ id }) => id)
  const others = left.filter(
    (ref) =>
      ref !== `vaults/${vaultId}` &&
      !items.some((id) => ref === `items/${vaultId}/${id}`) &&
      !items.some((id) => ref.startsWith(`versions/${vaultId}/${id}.`)),
  )
  expect(others.filter((ref) => !ref.startsWith(`${vaultId}/`))).toEqual([])
  expect(others).toHaveLength(files)
}
