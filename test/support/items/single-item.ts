/** A store with a single item, created again for each run of a property. */

import {
  createCaller,
  createVaultService,
  InvalidInputError,
  type Item,
  type ItemDraft,
  type PatchOperation,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createSeededRandomBytes } from '../../../src/testing.js'
import { readRecords } from '../stores/stores.js'

/** An item, and a function that patches it. */
export interface SingleItem {
  readonly item: Item
  /**
   * Returns the item after the patch, which equals the stored one; or the error, after which every
   * record is unchanged.
   */
  patch(patch: unknown): Promise<Item | InvalidInputError>
}

/** Stores the item of the draft, or an empty login if the draft is invalid. */
export async function createSingleItem(draft: object): Promise<SingleItem> {
  const caller = createCaller('tester', '*')
  const store = createMemoryStore()
  const service = createVaultService({ store, randomBytes: createSeededRandomBytes() })
  const { id: vaultId } = await service.createVault(caller, { name: 'Vault' })
  const vault = { id: vaultId }
  const create = (body: object) =>
    service.createItem(caller, { vaultId, item: { ...body, vault } as ItemDraft })
  const item = await create(draft).catch(() => create({ category: 'LOGIN' }))
  const ref = { vaultId, itemId: item.id }
  return {
    item,
    async patch(patch) {
      const before = await readRecords(store, vaultId)
      try {
        const patched = await service.patchItem(caller, {
          ...ref,
          patch: patch as PatchOperation[],
        })
        const stored = await service.getItem(caller, ref)
        if (JSON.stringify(stored) !== JSON.stringify(patched))
          throw new Error('another item is stored')
        return patched
      } catch (error) {
        if (!(error instanceof InvalidInputError)) throw error
        const after = await readRecords(store, vaultId)
        if (after.join('\n') !== before.join('\n')) throw new Error('a rejected patch was stored')
        return error
      }
    },
  }
}
