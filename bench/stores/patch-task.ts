/** Patches by callers of the service, each of an item of its own. */

import type { VaultStore } from 'cofferkit'
import type { LoadedBuild } from '../load-build.js'
import { draft, patch, vaultId } from '../sample.js'
import { serviceOptions } from '../variants.js'
import type { Task } from './rows.js'

/**
 * Creates a service of the build and one item for each caller. Each run patches one of them.
 * @param cachedItems - The option `cache.items` of the service; 0 without a cache.
 */
export async function createPatchTask(
  build: LoadedBuild,
  store: VaultStore,
  callers: number,
  cachedItems = 0,
): Promise<Task> {
  const { createVaultService, createCaller } = await build.core()
  const service = createVaultService(serviceOptions(store, cachedItems))
  const caller = createCaller('bench', '*')
  // Another task has created the vault before.
  await service.createVault(caller, { vaultId, name: 'bench' }).catch(() => {})
  const itemIds: string[] = []
  for (let index = 0; index < callers; index++)
    itemIds.push((await service.createItem(caller, { vaultId, item: draft(index) })).id)
  let turn = 0
  return (worker) =>
    service.patchItem(caller, {
      vaultId,
      itemId: itemIds[worker] ?? '',
      patch: patch(turn++ % 1000),
    })
}
