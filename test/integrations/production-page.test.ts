import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { ItemBuilder, OnePasswordConnect } from '@1password/connect'
import { describe, expect, it } from 'vitest'
import { createStoredActivityLog } from '../../src/activity.js'
import { createToken } from '../../src/auth/tokens.js'
import { createVaultService } from '../../src/index.js'
import {
  createEncryptedStore,
  createKeyFile,
  createLocalKeyProvider,
  readKeyFile,
} from '../../src/storage/encrypted.js'
import { createPostgresStore, migratePostgres } from '../../src/storage/postgres.js'
import { openSqliteStore } from '../../src/storage/sqlite.js'
import { postgresFolder } from '../../tools/reliability/support/postgres-binaries.js'
import { startPostgres } from '../../tools/reliability/support/postgres-server.js'
import { freePort } from '../../tools/reliability/support/server-process.js'
import { findBlocks } from '../support/source/pages.js'
import { withFolder } from './support/command/run-command.js'
import { runText, startProgramIn } from './support/source/program.js'
import { openPool } from './support/stores/backup-cases.js'
import {
  createBackupShell,
  operator,
  readBack,
  startItemWriters,
} from './support/stores/backups.js'

const blocks = findBlocks('docs/production.md')
const textsOf = (kind: string): readonly string[] =>
  blocks.filter((block) => block.kind === kind).map(({ text }) => text)
const [shownServer = '', keyText = ''] = textsOf('ts')
const example = (name: string): string => readFileSync(`examples/server/${name}`, 'utf8')
const serverText = example('server.ts')

/** Starts the server in a folder with a key file and one token, for `vaultId` alone. */
async function startServer(folder: string, vaultId: string, env: Record<string, string> = {}) {
  const { token, sha256 } = await createToken()
  const entry = { id: 'app', sha256, vaults: { [vaultId]: 'read-write' } }
  const expired = { ...entry, id: 'old', expiresAt: '2026-01-01T00:00:00Z' }
  const old = await createToken()
  const tokens = [entry, { ...expired, sha256: old.sha256 }]
  writeFileSync(join(folder, 'tokens.json'), JSON.stringify({ tokens }))
  writeFileSync(join(folder, 'server.ts'), serverText)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const program = startProgramIn(folder, join(folder, 'server.ts'), { PORT: String(port), ...env })
  await program.printed('listening')
  return { program, port, origin, token, oldToken: old.token }
}

/** Opens the store of the server. */
async function openStore(folder: string) {
  const keys = createLocalKeyProvider({ key: await readKeyFile(join(folder, 'vault.key')) })
  const database = await openSqliteStore(join(folder, 'vault.db'))
  const store = createEncryptedStore(database, { keys })
  return {
    database,
    log: createStoredActivityLog(store),
    service: createVaultService({ store, history: { maxVersions: 10 } }),
  }
}

/** Creates the key file, the store and one vault, and returns the id of the vault. */
async function createStore(folder: string): Promise<string> {
  await createKeyFile(join(folder, 'vault.key'))
  const { service, database } = await openStore(folder)
  const { id } = await service.createVault(operator, { name: 'Team' })
  await database.close()
  return id
}

describe('examples/server', () => {
  it('is the server on docs/production.md', () => {
    expect(serverText.slice(serverText.indexOf('import {'))).toBe(shownServer)
  })

  it('is configured by its unit and its Dockerfile with variables that it reads', () => {
    const read = new Set(serverText.match(/\b[A-Z]+(?:_[A-Z]+)*\b(?= = '|, DRAIN)/g))
    const [, environment = ''] = /^Environment=(.*)$/m.exec(example('vault.service')) ?? []
    const inImage = [...example('Dockerfile').matchAll(/^ENV (.*)$/gm)].map(([, text]) => text)
    const names = [environment, ...inImage].join(' ').match(/[A-Z_]+(?==)/g) ?? []
    expect(names.length).toBeGreaterThan(5)
    for (const name of names) if (name !== 'NODE_ENV') expect(read).toContain(name)
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(JSON.parse(example('package.json')).dependencies).toEqual({ cofferkit: version })
  })

  it('starts with the files that the commands on the page create', () =>
    withFolder(async (folder) => {
      const [commands = ''] = textsOf('sh')
      const lines = commands.trim().split('\n')
      expect(lines.pop()).toBe('node server.ts')
      const created = await createBackupShell(folder)(lines.join('\n'))
      expect(created).toMatchObject({ code: 0 })
      const [token = ''] = /\b[\w-]{43}\b/.exec(created.stdout) ?? []
      writeFileSync(join(folder, 'server.ts'), serverText)
      const env = { PORT: String(await freePort()), DRAIN_SECONDS: '0' }
      const program = startProgramIn(folder, join(folder, 'server.ts'), env)
      try {
        await program.printed('listening')
        const headers = { authorization: `Bearer ${token}` }
        const response = await fetch(`http://127.0.0.1:${env.PORT}/v1/vaults`, { headers })
        expect([response.status, await response.text()]).toEqual([200, '[]'])
      } finally {
        program.kill()
      }
    }))

  it('serves the published client, with tokens, a log and history', () =>
    withFolder(async (folder) => {
      const vaultId = await createStore(folder)
      const env = { TRUSTED_PROXY: '127.0.0.1', DRAIN_SECONDS: '0' }
      const server = await startServer(folder, vaultId, env)
      try {
        const client = OnePasswordConnect({ serverURL: server.origin, token: server.token })
        const draft = new ItemBuilder().setCategory('LOGIN').setTitle('Router').build()
        const { id: itemId = '' } = await client.createItem(vaultId, draft)
        const item = await client.getItem(vaultId, itemId)
        await client.updateItem(vaultId, { ...item, title: 'Router 2' } as never)
        const headers = (token: string) => ({
          authorization: `Bearer ${token}`,
          'x-forwarded-for': '198.51.100.1, 203.0.113.7',
        })
        const path = `${server.origin}/v1/vaults/${vaultId}/items/${itemId}`
        expect(await fetch(path, { headers: headers(server.token) })).toMatchObject({ status: 200 })
        expect(await fetch(path, { headers: headers(server.oldToken) })).toMatchObject({
          status: 401,
        })
        for (const path of ['heartbeat', 'health', 'metrics'])
          expect(await fetch(`${server.origin}/${path}`)).toMatchObject({ status: 200 })
        const forwarded = { headers: { 'x-forwarded-for': '203.0.113.7' } }
        expect(await fetch(`${server.origin}/metrics`, forwarded)).toMatchObject({ status: 404 })
        const alerted = example('alerts.yml').match(/cofferkit_\w+/g) ?? []
        const metrics = await (await fetch(`${server.origin}/metrics`)).text()
        for (const name of alerted) expect(metrics).toMatch(new RegExp(`^${name}\\b`, 'm'))
        process.kill(server.program.pid, 'SIGTERM')
        expect(await server.program.ended).toMatchObject({ code: 0, stderr: '' })

        const { service, log, database } = await openStore(folder)
        const former = await service.getVersion(operator, { vaultId, itemId, version: 1 })
        expect(former.title).toBe('Router')
        const addresses: unknown[] = []
        for await (const { actor, operation } of log.entries())
          if (operation === 'getItem') addresses.push([actor.id, actor.requestIp])
        expect(addresses).toContainEqual(['app', '203.0.113.7'])
        await database.close()
      } finally {
        server.program.kill()
      }
    }))

  it('is not healthy after SIGTERM, responds to open requests, closes everything and ends with 0', () =>
    withFolder(async (folder) => {
      const vaultId = await createStore(folder)
      const server = await startServer(folder, vaultId, { DRAIN_SECONDS: '2' })
      const { program, port, origin } = server
      try {
        await expect(fetch(`http://127.0.0.2:${port}/heartbeat`)).rejects.toThrow()
        expect(await (await fetch(`${origin}/health`)).text()).toContain('ACTIVE')
        const body = JSON.stringify({ vault: { id: vaultId }, category: 'LOGIN', title: 'Late' })
        const head = [
          `POST /v1/vaults/${vaultId}/items HTTP/1.1`,
          'Host: localhost',
          `Authorization: Bearer ${server.token}`,
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
          'Expect: 100-continue',
        ]
        const socket = connect(port, '127.0.0.1')
        let response = ''
        socket.setEncoding('utf8').on('data', (text: string) => {
          response += text
        })
        socket.write(`${head.join('\r\n')}\r\n\r\n`)
        // Sent as soon as the server has the request, which is open from now on.
        await expect.poll(() => response).toBe('HTTP/1.1 100 Continue\r\n\r\n')
        socket.write(body.slice(0, 10))
        process.kill(program.pid, 'SIGTERM')
        const statusOf = (path: string): Promise<number | string> =>
          fetch(origin + path).then(
            ({ status }) => status,
            () => 'closed',
          )
        const seen = new Set<number | string>()
        await expect
          .poll(
            async () => {
              const status = await statusOf('/health')
              seen.add(status)
              return status
            },
            { timeout: 9000 },
          )
          .toBe('closed')
        expect([...seen].filter((status) => status !== 200)).toEqual([404, 'closed'])
        socket.write(body.slice(10))
        const printed = `listening on ${origin}\n`
        expect(await program.ended).toEqual({ code: 0, stdout: printed, stderr: '' })
        expect(response).toMatch(/\r\n\r\nHTTP\/1\.1 200 /)

        const { service, database } = await openStore(folder)
        const items = await service.listItems(operator, { vaultId })
        expect(items.map(({ title }) => title)).toEqual(['Late'])
        await database.close()
      } finally {
        program.kill()
      }
    }))

  it('listens on every address with HOST, so that Kubernetes can send probes', () =>
    withFolder(async (folder) => {
      const vaultId = await createStore(folder)
      const { program, port } = await startServer(folder, vaultId, { HOST: '0.0.0.0' })
      try {
        for (const path of ['heartbeat', 'health'])
          expect(await fetch(`http://127.0.0.2:${port}/${path}`)).toMatchObject({ status: 200 })
      } finally {
        program.kill()
      }
    }))
})

describe('keys in docs/production.md', () => {
  it('are read from a file that readKeyFile rejects, because a group can read it', () =>
    withFolder(async (folder) => {
      const keyFile = join(folder, 'vault.key')
      const key = await createKeyFile(keyFile)
      const path = join(folder, 'vault.db')
      const database = await openSqliteStore(path)
      const keys = createLocalKeyProvider({ key })
      const service = createVaultService({ store: createEncryptedStore(database, { keys }) })
      await service.createVault(operator, { name: 'Team' })
      await database.close()
      chmodSync(keyFile, 0o440)
      await expect(readKeyFile(keyFile)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })

      const program = `
import { createCaller, createVaultService } from 'cofferkit'
import { createEncryptedStore } from 'cofferkit/encrypted'
import { openSqliteStore } from 'cofferkit/sqlite'
${keyText.replace('/run/secrets/vault-key', keyFile)}
const store = createEncryptedStore(await openSqliteStore('${path}'), { keys })
const vaults = await createVaultService({ store }).listVaults(createCaller({ id: 'operator', vaults: '*' }), {})
console.log(vaults.map(({ name }) => name).join())`
      expect(await runText(program)).toEqual({ code: 0, stdout: 'Team\n', stderr: '' })
    }))
})

describe.runIf(postgresFolder() !== undefined)('role of docs/production.md', () => {
  it('can serve a vault, and can change neither a table nor the list of migrations', {
    timeout: 60_000,
  }, async () => {
    const server = await startPostgres()
    const admin = openPool(server.url)
    const url = server.url.replace('postgres@', 'vault_service@')
    const pool = openPool(url)
    try {
      await admin.query('CREATE SCHEMA vaults')
      await migratePostgres(admin, { schema: 'vaults' })
      for (const statements of textsOf('sql')) await admin.query(statements)
      const service = createVaultService({
        store: createPostgresStore(pool, { schema: 'vaults' }),
        history: { maxVersions: 1 },
      })
      const writers = await startItemWriters(service)
      await writers.reached(3)
      await writers.stop()
      for (const item of writers.acknowledged) {
        const { value } = await readBack(service, item)
        expect(value).toBe(item.value)
      }
      const [{ vaultId = '' } = {}] = writers.acknowledged
      await service.collectGarbage(operator, { vaultId })
      await service.deleteVault(operator, { vaultId })
      for (const statement of [
        'INSERT INTO vaults.cofferkit_migrations VALUES (99)',
        'DELETE FROM vaults.cofferkit_migrations',
        'CREATE TABLE vaults.mine (id text)',
        'CREATE TABLE mine (id text)',
        'DROP TABLE vaults.cofferkit_records',
        'ALTER TABLE vaults.cofferkit_records ADD mine text',
        'TRUNCATE vaults.cofferkit_records',
      ])
        await expect(pool.query(statement)).rejects.toMatchObject({ code: '42501' })
    } finally {
      await pool.end()
      await admin.end()
      await server.stop()
    }
  })
})
