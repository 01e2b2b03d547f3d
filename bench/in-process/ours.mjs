/** The library itself: its service on its memory store, called as an embedder calls it. */

import { draft, fileId, storedItem, vaultId } from '../sample.mjs'

/** @returns {Promise<import('./worker.mjs').Contender>} */
export async function createContender(count, build) {
  const { createVaultService, createCaller } = await import(`${build}/index.js`)
  const { createMemoryStore } = await import(`${build}/memory.js`)
  const vaults = createVaultService({ store: createMemoryStore() })
  const caller = createCaller('bench', { [vaultId]: 'read-write' })
  await vaults.createVault(createCaller('admin', '*'), { vaultId, name: 'bench' })
  const itemIds = []
  for (let index = 0; index < count; index++) {
    const { id: itemId } = await vaults.createItem(caller, { vaultId, item: draft(index) })
    const [{ name }, content] = [storedItem(itemId, index).files[0], new Uint8Array(256)]
    await vaults.attachFile(caller, { vaultId, itemId, name, content, fileId })
    itemIds.push(itemId)
  }
  return {
    itemIds,
    createItem: (item) => vaults.createItem(caller, { vaultId, item }),
    replaceItem: (itemId, item) => vaults.replaceItem(caller, { vaultId, itemId, item }),
    patchItem: (itemId, patch) => vaults.patchItem(caller, { vaultId, itemId, patch }),
    getFileDetails: (itemId) => vaults.getFileDetails(caller, { vaultId, itemId, fileId }),
  }
}
