import { chmodSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
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
import { runCommand, withFolder } from './support/command/run-command.js'
import { runText, startProgramIn } from './support/source/program.js'
import { openPool } from './support/stores/backup-cases.js'
import { operator, readBack, startItemWriters } from './support/stores/backups.js'

const blocks = findBlocks('docs/production.md')
const textsOf = (kind: string): readonly string[] =>
  blocks.filter((block) => block.kind === kind).map(({ text }) => text)
const [serverText = '', keyText = ''] = textsOf('ts')

describe('server of docs/production.md', () => {
  it('starts with the key file and the token that the commands before it create', () =>
    withFolder(async (folder) => {
      const [commands = ''] = textsOf('sh')
      const [keygen, token, start = ''] = commands
        .trim()
        .split('\n')
        .map((line) => line.replace('npx cofferkit ', '').split(' '))
      expect(await runCommand({ folder }, ...(keygen ?? []))).toMatchObject({ code: 0 })
      const { stdout } = await runCommand({ folder }, ...(token ?? []))
      const [TOKEN_SHA256 = ''] = /\b[\da-f]{64}\b/.exec(stdout) ?? []
      expect(start).toContain('server.mts')
      expect(start[0]).toMatch(/^TOKEN_SHA256=/)
      writeFileSync(join(folder, 'server.mts'), serverText)
      const env = { PORT: String(await freePort()), TOKEN_SHA256 }
      const program = startProgramIn(folder, join(folder, 'server.mts'), env)
      await program.printed('listening')
      program.kill()
      await program.ended
    }))

  it('responds to an open request after SIGTERM, closes everything and ends with 0', () =>
    withFolder(async (folder) => {
      const keyFile = join(folder, 'vault.key')
      await createKeyFile(keyFile)
      const keys = createLocalKeyProvider({ key: await readKeyFile(keyFile) })
      const open = async () => {
        const database = await openSqliteStore(join(folder, 'vault.db'))
        return {
          database,
          service: createVaultService({ store: createEncryptedStore(database, { keys }) }),
        }
      }
      const first = await open()
      const { id: vaultId } = await first.service.createVault(operator, { name: 'Team' })
      await first.database.close()

      writeFileSync(join(folder, 'server.ts'), serverText)
      const { token, sha256 } = await createToken()
      const port = await freePort()
      const env = { PORT: String(port), TOKEN_SHA256: sha256 }
      const program = startProgramIn(folder, join(folder, 'server.ts'), env)
      try {
        await program.printed('listening')
        const origin = `http://127.0.0.1:${port}`
        await expect(fetch(`http://127.0.0.2:${port}/heartbeat`)).rejects.toThrow()
        expect(await (await fetch(`${origin}/health`)).text()).toContain('ACTIVE')
        const body = JSON.stringify({ vault: { id: vaultId }, category: 'LOGIN', title: 'Late' })
        const head = [
          `POST /v1/vaults/${vaultId}/items HTTP/1.1`,
          'Host: localhost',
          `Authorization: Bearer ${token}`,
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
        await expect
          .poll(
            () =>
              fetch(origin).then(
                () => 'open',
                () => 'closed',
              ),
            { timeout: 9000 },
          )
          .toBe('closed')
        socket.write(body.slice(10))
        expect(await program.ended).toEqual({ code: 0, stdout: 'listening\n', stderr: '' })
        expect(response).toMatch(/\r\n\r\nHTTP\/1\.1 200 /)

        const again = await open()
        const items = await again.service.listItems(operator, { vaultId })
        expect(items.map(({ title }) => title)).toEqual(['Late'])
        await again.database.close()
      } finally {
        program.kill()
      }
    }))

  it('listens on every address with HOST, so that Kubernetes can send probes', () =>
    withFolder(async (folder) => {
      await createKeyFile(join(folder, 'vault.key'))
      writeFileSync(join(folder, 'server.ts'), serverText)
      const { sha256 } = await createToken()
      const port = await freePort()
      const env = { HOST: '0.0.0.0', PORT: String(port), TOKEN_SHA256: sha256 }
      const program = startProgramIn(folder, join(folder, 'server.ts'), env)
      try {
        await program.printed('listening')
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
const vaults = await createVaultService({ store }).listVaults(createCaller('operator', '*'), {})
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
