import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createCaller,
  createVaultService,
  type Item,
  isVaultError,
  type VaultService,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { noteDraft } from '../../support/drafts.js'
import { delayCalls } from '../../support/stores/contended-store.js'

const caller = createCaller({ id: 'tester', vaults: '*' })
const vaultId = 'v'.repeat(26)
const names = [
  'create',
  'delete',
  'patch',
  'replace',
  'state',
  'restore',
  'collect',
  'recreate',
] as const

/** Deletes the vault and creates it again under its id. */
async function recreateVault(service: VaultService): Promise<void> {
  await service.deleteVault(caller, { vaultId })
  await service.createVault(caller, { vaultId, name: 'Again' })
}

/** A call in one of two processes. */
const anyStep = fc.record({
  name: fc.constantFrom(...names),
  isThere: fc.boolean(),
  itemId: fc.constantFrom('a'.repeat(26), 'b'.repeat(26)),
})

describe('createItem with itemId', () => {
  it('never uses a version of an id twice, in any interleaving with other calls', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(anyStep, { minLength: 4, maxLength: 16 }),
        fc.nat(3),
        async (scheduler, steps, maxVersions) => {
          const store = delayCalls(createMemoryStore(), async () => {
            await scheduler.schedule(Promise.resolve())
          })
          const options = { store, history: { maxVersions } }
          const [here, there] = [createVaultService(options), createVaultService(options)]
          /** What each acknowledged write of an id made of its version: the tags of the item. */
          const written = new Map<string, readonly string[]>()
          const patches: Item[] = []
          const note = ({ id, version, tags }: Item): void => {
            const key = `${id} ${version}`
            expect(written.has(key)).toBe(false)
            written.set(key, tags)
          }
          const run = async ({ name, isThere, itemId }: (typeof steps)[number], tag: string) => {
            const service = isThere ? there : here
            const ref = { vaultId, itemId }
            const item = noteDraft(vaultId, { tags: [tag] })
            if (name === 'create') note(await service.createItem(caller, { ...ref, item }))
            else if (name === 'replace') note(await service.replaceItem(caller, { ...ref, item }))
            else if (name === 'delete') await service.deleteItem(caller, ref)
            else if (name === 'collect') await service.collectGarbage(caller, { vaultId })
            else if (name === 'recreate') await recreateVault(service)
            else if (name === 'restore')
              note(await service.restoreVersion(caller, { ...ref, version: 1 }))
            else if (name === 'state') await service.setItemState(caller, { ...ref, state: null })
            else {
              const patch = [{ op: 'add', path: '/tags/-', value: tag }] as const
              const patched = await service.patchItem(caller, { ...ref, patch })
              note(patched)
              patches.push(patched)
            }
          }
          const finish = async (): Promise<void> => {
            await here.createVault(caller, { vaultId, name: 'Vault' })
            const calls = steps.map((step, index) =>
              run(step, `tag ${index}`).catch((error) => {
                if (!isVaultError(error) || error.status >= 500) throw error
              }),
            )
            await Promise.all(calls)
            // A patch was made from the version before it, of the same item. That version is unknown
            // if its creation was rejected because the vault was deleted meanwhile.
            for (const { id, version, tags } of patches)
              expect([undefined, tags.slice(0, -1)]).toContainEqual(
                written.get(`${id} ${version - 1}`),
              )
            for (const { id, version, tags } of await here.listItems(caller, { vaultId })) {
              expect(written.get(`${id} ${version}`)).toEqual(tags)
              for (const old of await here.listVersions(caller, { vaultId, itemId: id }))
                expect(written.has(`${id} ${old.version}`)).toBe(true)
            }
          }
          await scheduler.waitFor(finish())
        },
      ),
      { numRuns: propertyRuns(500) },
    )
  })

  it('continues the versions of an id over any sequence of calls', async () => {
    const anyCall = fc.constantFrom(...names)
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { maxLength: 24 }), async (calls) => {
        const service = createVaultService({
          store: createMemoryStore(),
          history: { maxVersions: 2 },
        })
        await service.createVault(caller, { vaultId, name: 'Vault' })
        const ref = { vaultId, itemId: 'a'.repeat(26) }
        const item = noteDraft(vaultId)
        const change = { ...ref, patch: [{ op: 'add', path: '/tags/-', value: 'x' }] } as const
        // The model: whether the item exists, and the last version that was used.
        let [exists, last] = [false, 0]
        for (const name of calls) {
          const { version: current } = await service
            .getItem(caller, ref)
            .catch(() => ({ version: undefined }))
          expect(current).toBe(exists ? last : undefined)
          if (name === 'collect') await service.collectGarbage(caller, { vaultId })
          else if (name === 'recreate') {
            await recreateVault(service)
            if (exists) last++
            exists = false
          } else if (name === 'delete') {
            const deleting = service.deleteItem(caller, ref)
            if (exists) await deleting
            else await expect(deleting).rejects.toMatchObject({ code: 'NOT_FOUND' })
            if (exists) last++
            exists = false
          } else if (name === 'create') {
            const creating = service.createItem(caller, { ...ref, item })
            if (exists) await expect(creating).rejects.toMatchObject({ reason: 'exists' })
            else expect(await creating).toMatchObject({ version: last + 1 })
            if (!exists) last++
            exists = true
          } else if (name === 'patch' || name === 'replace') {
            const changing =
              name === 'patch'
                ? service.patchItem(caller, change)
                : service.replaceItem(caller, { ...ref, item })
            if (exists) expect(await changing).toMatchObject({ version: ++last })
            else await expect(changing).rejects.toMatchObject({ code: 'NOT_FOUND' })
          }
        }
      }),
      { numRuns: propertyRuns(500) },
    )
  })
})
