/** The library: its service on its memory store, called as an embedder calls it. */

import { loadBuild } from '../load-build.js'
import { content, draft, file, fileId, vaultId } from '../sample.js'
import { serviceOptions } from '../variants.js'
import type { Contender } from './contender-process.js'

/** Creates the contender with `count` stored items, from the build at this URL. */
export async function createContender(
  count: number,
  url: string,
  cachedItems: number,
): Promise<Contender> {
  const build = loadBuild(url)
  const { createVaultService, createCaller } = await build.core()
  const { createMemoryStore } = await build.memory()
  const vaults = createVaultService(serviceOptions(createMemoryStore(), cachedItems))
  const caller = createCaller('bench', { [vaultId]: 'read-write' })
  await vaults.createVault(createCaller('admin', '*'), { vaultId, name: 'bench' })
  const itemIds: string[] = []
  for (let index = 0; index < count; index++) {
    const { id: itemId } = await vaults.createItem(caller, { vaultId, item: draft(index) })
    const { name } = file(itemId)
    await vaults.attachFile(caller, { vaultId, itemId, name, content, fileId })
    itemIds.push(itemId)
  }
  return {
    itemIds,
    createItem: (item) => vaults.createItem(caller, { vaultId, item }),
    replaceItem: (itemId, item) => vaults.replaceItem(caller, { vaultId, itemId, item }),
    patchItem: (itemId, patch) => vaults.patchItem(caller, { vaultId, itemId, patch }),
    getFile: (itemId) =>
      vaults.getFileDetails(caller, { vaultId, itemId, fileId, inlineFiles: true }),
    getFileDetails: (itemId) => vaults.getFileDetails(caller, { vaultId, itemId, fileId }),
  }
}
