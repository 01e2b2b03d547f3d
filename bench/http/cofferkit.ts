/** The library: memory store, service, handler, static tokens, and the mount for `node:http`. */

import * as http from 'node:http'
import { loadBuild } from '../load-build.js'
import { draft, file, fileId, token, vaultId } from '../sample.js'
import type { CreatedServer } from './created-server.js'

/** Creates the server from the build at this URL. */
export async function createServer(count: number, url: string): Promise<CreatedServer> {
  const build = loadBuild(url)
  const { createVaultService, createCaller } = await build.core()
  const { createMemoryStore } = await build.memory()
  const { createHttpHandler, bearerAuth } = await build.http()
  const { createTokenAuthenticator, hashToken } = await build.tokens()
  const { createNodeListener } = await build.node()

  const service = createVaultService({ store: createMemoryStore() })
  const permissions = { [vaultId]: 'read-write' } as const
  const tokens = [{ id: 'bench', sha256: await hashToken(token), vaults: permissions }]
  const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
  const listener = createNodeListener(createHttpHandler(service, { authenticate }))

  const admin = createCaller('admin', '*')
  await service.createVault(admin, { vaultId, name: 'bench' })
  const itemIds: string[] = []
  for (let index = 0; index < count; index++) {
    const { id: itemId } = await service.createItem(admin, { vaultId, item: draft(index) })
    const { name } = file(itemId)
    const content = new Uint8Array(256)
    await service.attachFile(admin, { vaultId, itemId, name, content, fileId })
    itemIds.push(itemId)
  }
  return { server: http.createServer(listener), itemIds }
}
