/** The library: its service on its memory store, called as an embedder calls it. */

import type { VaultStore } from 'cofferkit'
import { type LoadedBuild, loadBuild } from '../load-build.js'
import { content, draft, file, fileId, listedCount, listedVaultId, vaultId } from '../sample.js'
import type { Contender } from './contender-process.js'

/** Creates the contender with `count` stored items, from the build at this URL. */
export async function createContender(
  count: number,
  url: string,
  kind: string,
): Promise<Contender> {
  const build = loadBuild(url)
  const { createVaultService, createCaller } = await build.core()
  const vaults = createVaultService({ store: await createStore(build, kind) })
  const permissions = { [vaultId]: 'read-write', [listedVaultId]: 'read-write' } as const
  const caller = createCaller({ id: 'bench', vaults: permissions })
  const admin = createCaller({ id: 'admin', vaults: '*' })
  await vaults.createVault(admin, { vaultId, name: 'bench' })
  await vaults.createVault(admin, { vaultId: listedVaultId, name: 'listed' })
  const itemIds: string[] = []
  for (let index = 0; index < count; index++) {
    const { id: itemId } = await vaults.createItem(caller, { vaultId, item: draft(index) })
    const { name } = file(itemId)
    await vaults.attachFile(caller, { vaultId, itemId, name, content, fileId })
    itemIds.push(itemId)
  }
  for (let index = 0; index < listedCount; index++) {
    const item = draft(index, listedVaultId)
    await vaults.createItem(caller, { vaultId: listedVaultId, item })
  }
  return {
    itemIds,
    createItem: (item) => vaults.createItem(caller, { vaultId, item }),
    getItem: (itemId) => vaults.getItem(caller, { vaultId, itemId }),
    listItems: () => vaults.listItems(caller, { vaultId: listedVaultId }),
    replaceItem: (itemId, item) => vaults.replaceItem(caller, { vaultId, itemId, item }),
    patchItem: (itemId, patch) => vaults.patchItem(caller, { vaultId, itemId, patch }),
    getFile: (itemId) =>
      vaults.getFileDetails(caller, { vaultId, itemId, fileId, inlineFiles: true }),
  }
}

async function createStore(build: LoadedBuild, kind: string): Promise<VaultStore> {
  const store = (await build.memory()).createMemoryStore()
  if (kind === 'plain') return store
  const { createEncryptedStore, createLocalKeyProvider } = await build.encrypted()
  const key = crypto.getRandomValues(new Uint8Array(32))
  return createEncryptedStore(store, { keys: createLocalKeyProvider({ key }) })
}
