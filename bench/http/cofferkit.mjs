/** The library: memory store, service, handler, static tokens, and the mount for `node:http`. */

import { draft, fileId, storedItem, token, vaultId } from '../sample.mjs'

export async function startServer(count, build) {
  const load = (name) => import(`${build}/${name}.js`)
  const { createVaultService, createCaller } = await load('index')
  const { createMemoryStore } = await load('memory')
  const { createHttpHandler, bearerAuth } = await load('http')
  const { createTokenAuthenticator, hashToken } = await load('tokens')
  const { createNodeListener } = await load('node')

  const vaults = createVaultService({ store: createMemoryStore() })
  const rights = { [vaultId]: 'read-write' }
  const tokens = [{ id: 'bench', sha256: await hashToken(token), vaults: rights }]
  const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
  const listener = createNodeListener(createHttpHandler(vaults, { authenticate }))

  const admin = createCaller('admin', '*')
  await vaults.createVault(admin, { vaultId, name: 'bench' })
  const places = []
  for (let index = 0; index < count; index++) {
    const { id: itemId } = await vaults.createItem(admin, { vaultId, item: draft(index) })
    const [{ name }] = storedItem(itemId, index).files
    await vaults.attachFile(admin, { vaultId, itemId, name, content: new Uint8Array(256), fileId })
    places.push(itemId)
  }
  return { listener, places }
}
