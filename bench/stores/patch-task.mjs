/** Patches as callers of the service make them, each of an item of its own. */

import { draft, patch, vaultId } from '../sample.mjs'

/** What one of so many callers does again and again, on a service of the build at `url`. */
export async function patchTask(url, store, callers) {
  const { createVaultService, createCaller } = await import(`${url}/index.js`)
  const service = createVaultService({ store })
  const caller = createCaller('bench', '*')
  await service.createVault(caller, { vaultId, name: 'bench' }).catch(() => {})
  const items = []
  for (let index = 0; index < callers; index++)
    items.push(await service.createItem(caller, { vaultId, item: draft(index) }))
  let turn = 0
  return (worker) =>
    service.patchItem(caller, { vaultId, itemId: items[worker].id, patch: patch(turn++ % 1000) })
}
