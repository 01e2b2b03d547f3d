/** The library: store, service, handler, static tokens, and the mount for `node:http`. */

import * as http from 'node:http'
import { join } from 'node:path'
import type { VaultStore } from 'cofferkit'
import pg from 'pg'
import { loadBuild } from '../load-build.js'
import {
  content,
  draft,
  file,
  fileId,
  listedCount,
  listedVaultId,
  token,
  vaultId,
} from '../sample.js'
import type { CreatedServer, ServerOptions } from './server-process.js'

/** Creates the server. */
export async function createServer(options: ServerOptions): Promise<CreatedServer> {
  const build = loadBuild(options.build)
  const { createVaultService, createCaller } = await build.core()
  const { createHttpHandler, bearerAuth } = await build.http()
  const { createTokenAuthenticator, hashToken } = await build.tokens()
  const { createNodeListener } = await build.node()

  const store = await openStore(options)
  const service = createVaultService({ store })
  const permissions = { [vaultId]: 'read-write', [listedVaultId]: 'read' } as const
  const tokens = [{ id: 'bench', sha256: await hashToken(token), vaults: permissions }]
  const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
  const listener = createNodeListener(createHttpHandler(service, { authenticate }))

  const admin = createCaller({ id: 'admin', vaults: '*' })
  await service.createVault(admin, { vaultId, name: 'bench' })
  await service.createVault(admin, { vaultId: listedVaultId, name: 'listed' })
  for (let index = 0; index < listedCount; index++) {
    const item = draft(index, listedVaultId)
    await service.createItem(admin, { vaultId: listedVaultId, item })
  }
  const createItem = async (index: number): Promise<string> => {
    const { id: itemId } = await service.createItem(admin, { vaultId, item: draft(index) })
    const { name } = file(itemId)
    await service.attachFile(admin, { vaultId, itemId, name, content, fileId })
    return itemId
  }
  const itemIds: string[] = []
  // 64 at a time, which share the commits of SQLite.
  while (itemIds.length < options.count) {
    const size = Math.min(64, options.count - itemIds.length)
    const indexes = Array.from({ length: size }, (_, position) => itemIds.length + position)
    itemIds.push(...(await Promise.all(indexes.map(createItem))))
  }
  return { server: http.createServer(listener), itemIds }
}

async function openStore({ build: url, storage, location }: ServerOptions): Promise<VaultStore> {
  const build = loadBuild(url)
  if (storage === 'memory') return (await build.memory()).createMemoryStore()
  if (storage === 'sqlite')
    return (await build.sqlite()).openSqliteStore(join(location, `${process.pid}.db`))
  const { createPostgresStore, migratePostgres } = await build.postgres()
  const pool = new pg.Pool({ connectionString: location, max: 16 })
  const tables = { tablePrefix: `bench_${process.pid}_` }
  await migratePostgres(pool, tables)
  return createPostgresStore(pool, { ...tables, prepare: true })
}
