/** One item alone in a store, made anew for each case of a property. */

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
import { recordsOf } from '../stores/stores.js'

/** An item, and how it is patched. */
export interface OneItem {
  readonly item: Item
  /** The item after the patch, which is what is stored; or the error, after which every record is the same. */
  patch(patch: unknown): Promise<Item | InvalidInputError>
}

/** Stores the item that the draft describes, or a bare one where it is refused. */
export async function createOneItem(draft: object): Promise<OneItem> {
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
      const before = await recordsOf(store, vaultId)
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
        const after = await recordsOf(store, vaultId)
        if (after.join('\n') !== before.join('\n')) throw new Error('a refused patch was stored')
        return error
      }
    },
  }
}
