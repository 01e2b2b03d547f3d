import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCaller, createVaultService, type VaultStore } from '../../src/index.js'
import { createEncryptedStore } from '../../src/storage/encrypted.js'
import { createPostgresStore, migratePostgres } from '../../src/storage/postgres.js'
import { type EtcdServer, startEtcd } from '../../tools/reliability/support/etcd-server.js'
import { postgresFolder } from '../../tools/reliability/support/postgres-binaries.js'
import {
  type PostgresServer,
  startPostgres,
} from '../../tools/reliability/support/postgres-server.js'
import { findBlocks } from '../support/source/pages.js'
import { createKeys } from '../support/stores/encrypted-stores.js'
import { callGateway, createStoreAt, hasEtcd } from '../support/stores/etcd.js'
import { type Running, startText } from './support/source/program.js'

const page = 'docs/events.md'
const blocks = findBlocks(page)
const slow = { timeout: 120_000 }

/** The text of the only block of this kind that contains `part`. */
function blockWith(kind: string, part: string): string {
  const found = blocks.filter((block) => block.kind === kind && block.text.includes(part))
  expect(found).toHaveLength(1)
  return found[0]?.text ?? ''
}

/** Starts the text, and kills it after the work. */
async function withProgram(
  text: string,
  env: NodeJS.ProcessEnv,
  work: (program: Running) => Promise<void>,
): Promise<void> {
  const program = startText(text, env)
  try {
    await work(program)
  } finally {
    program.kill()
  }
}

const keys = createKeys()
const caller = createCaller({ id: 'wendy', vaults: '*' })

/** Makes a vault with an item on an encrypted store, and functions that change them. */
async function createChanges(inner: VaultStore) {
  const service = createVaultService({ store: createEncryptedStore(inner, { keys }) })
  const { id: vaultId } = await service.createVault(caller, { name: 'Home' })
  const create = () => service.createItem(caller, { vaultId, item: { category: 'LOGIN' } })
  const { id: itemId } = await create()
  const lineOf = (id: string): string => `changed: items/${vaultId}/${id}`
  return {
    vaultLine: `changed: vaults/${vaultId}`,
    itemLine: lineOf(itemId),
    lineOf,
    create,
    rename: () => service.updateVault(caller, { vaultId, name: 'Renamed' }),
    patch: (value: string) =>
      service.patchItem(caller, { vaultId, itemId, patch: [{ op: 'add', path: '/title', value }] }),
    remove: () => service.deleteItem(caller, { vaultId, itemId }),
  }
}

describe.runIf(postgresFolder() !== undefined)(`${page} on PostgreSQL`, slow, () => {
  let server: PostgresServer
  let pool: pg.Pool
  beforeAll(async () => {
    server = await startPostgres()
    pool = new pg.Pool({ connectionString: server.url })
    pool.on('error', () => {})
    await migratePostgres(pool)
    await pool.query(blockWith('sql', 'CREATE TRIGGER'))
  }, slow.timeout)
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  it('shows another process which vault and item is changed, without a value', () =>
    withProgram(blockWith('ts', 'LISTEN'), { DATABASE_URL: server.url }, async (program) => {
      await program.printed('listening')
      const changes = await createChanges(createPostgresStore(pool))
      await program.printed(changes.vaultLine)
      await program.printed(changes.itemLine)
      await changes.rename()
      await program.printed(changes.vaultLine, 2)
      await changes.patch('Patched')
      await program.printed(changes.itemLine, 2)
      await changes.remove()
      await program.printed(changes.itemLine, 3)
      const lines = (await program.printed('listening')).trim().split('\n')
      expect(new Set(lines)).toEqual(new Set(['listening', changes.vaultLine, changes.itemLine]))
    }))

  it('listens again after the server was killed', () =>
    withProgram(blockWith('ts', 'LISTEN'), { DATABASE_URL: server.url }, async (program) => {
      await program.printed('listening')
      const changes = await createChanges(createPostgresStore(pool))
      await server.kill()
      await server.restart()
      await program.printed('listening', 2)
      const { id } = await changes.create()
      await program.printed(changes.lineOf(id))
    }))
})

describe.runIf(hasEtcd)(`${page} on etcd`, slow, () => {
  let server: EtcdServer
  beforeAll(async () => {
    server = await startEtcd()
  }, slow.timeout)
  afterAll(() => server.stop())

  it('shows another process which item is changed, and misses none while it is away', () =>
    withProgram(
      blockWith('ts', '/v3/watch'),
      { ETCD_ENDPOINT: server.endpoint },
      async (program) => {
        await program.printed('watching')
        const changes = await createChanges(createStoreAt(server.endpoint, { prefix: 'vault/' }))
        await program.printed(changes.itemLine)
        await changes.patch('Patched')
        await program.printed(changes.itemLine, 2)

        process.kill(program.pid, 'SIGSTOP')
        await server.kill()
        await server.restart()
        const { id } = await changes.create()
        await changes.patch('Patched again')
        process.kill(program.pid, 'SIGCONT')
        await program.printed(changes.lineOf(id))
        await program.printed(changes.itemLine, 3)
        expect((await program.printed('watching')).split('watching')).toHaveLength(2)
      },
    ))

  it('begins again when the changes that it has not seen were compacted', () =>
    withProgram(
      blockWith('ts', '/v3/watch'),
      { ETCD_ENDPOINT: server.endpoint },
      async (program) => {
        await program.printed('watching')
        const changes = await createChanges(createStoreAt(server.endpoint, { prefix: 'vault/' }))
        await program.printed(changes.itemLine)

        process.kill(program.pid, 'SIGSTOP')
        await server.kill()
        await server.restart()
        for (const title of ['Patched', 'Patched again']) await changes.patch(title)
        const { header } = await callGateway(server.endpoint, 'kv/range', { key: 'AA==' })
        const { revision } = header as { readonly revision: string }
        await callGateway(server.endpoint, 'kv/compaction', { revision, physical: true })
        process.kill(program.pid, 'SIGCONT')
        await program.printed('watching', 2)
        const { id } = await changes.create()
        await program.printed(changes.lineOf(id))
      },
    ))
})
