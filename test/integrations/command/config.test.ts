import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { createCaller, createVaultService } from '../../../src/index.js'
import { createEncryptedStore, createLocalKeyProvider } from '../../../src/storage/encrypted.js'
import { createPostgresStore, migratePostgres } from '../../../src/storage/postgres.js'
import { openSqliteStore } from '../../../src/storage/sqlite.js'
import { postgresFolder } from '../../../tools/reliability/support/postgres-binaries.js'
import { startPostgres } from '../../../tools/reliability/support/postgres-server.js'
import { databaseReference, databaseSeed } from '../support/command/database-seed.js'
import { startCommand, startServe, withFolder } from '../support/command/run-command.js'

const seed = databaseSeed('s3cret')
const caller = createCaller({ id: 'tester', vaults: '*' })
const keysOf = (...names: string[]) => names.map((name, index) => `'${name}': key(${index + 1})`)

/** A configuration with an encrypted SQLite file and keys with these names. */
function configText(current: string, ...names: string[]): string {
  return `
    import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
    import { openSqliteStore } from 'cofferkit/sqlite'
    const key = (byte) => new Uint8Array(32).fill(byte)
    export default async () => {
      const database = await openSqliteStore('team.db')
      const keys = createLocalKeyProvider({ keys: { ${keysOf(...names)} }, keyId: '${current}' })
      const close = async () => { await database.close(); console.error('closed') }
      return { store: createEncryptedStore(database, { keys }), keys, close }
    }`
}

type Run = (...parameters: readonly string[]) => ReturnType<typeof startCommand>

function withProject(work: (run: Run, folder: string) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed))
    for (const byte of [1, 2, 3])
      writeFileSync(join(folder, `${byte}.key`), `0${byte}`.repeat(32), { mode: 0o600 })
    await work((...parameters) => startCommand({ folder }, ...parameters), folder)
  })
}

describe('cofferkit.config.mjs', { timeout: 240_000 }, () => {
  it('is the store of every command, which closes it', () =>
    withProject(async (run, folder) => {
      const config = join(folder, 'cofferkit.config.mjs')
      writeFileSync(config, configText('2027', '2027'))
      const planted = await run('seed', 'seed.json')
      expect(planted).toMatchObject({ code: 0, stderr: /in the store of cofferkit\.config\.mjs\./ })
      expect(planted.stderr).toMatch(/^closed$/m)
      expect((await run('read', databaseReference)).stdout).toBe('s3cret\n')
      expect((await run('export')).stderr).toMatch(/^Exported 1 vault, 1 item/m)
      expect((await run('gc')).code).toBe(0)
      const migrated = await run('migrate')
      expect(migrated).toMatchObject({ code: 0, stderr: /has no function migrate/ })
      const served = await startServe({ folder })
      expect(served.state.store).toBe('the store of cofferkit.config.mjs')
      expect(await served.stop()).toMatchObject({ code: 0, stderr: 'closed\n' })
      const { code, stdout } = await run('doctor')
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^ok {6}key +its keys decrypt/m)])
      expect((await run('rotate')).stdout).toMatch(/^Created 2 data keys/)
      expect((await run('reencrypt')).stdout).toMatch(/^Encrypted 2 records/)
      writeFileSync(config, configText('2028', '2027', '2028'))
      expect((await run('rotate', '--rewrap')).stdout).toBe(
        'Wrapped 2 key rings with the current key.\n',
      )
      expect((await run('rotate', '--rewrap')).stdout).toMatch(/^Wrapped 0 key rings/)
      const encrypted = await run('read', databaseReference, '--encrypt', '2.key')
      expect(encrypted.stderr).toMatch(
        /^error: --encrypt cannot be used with cofferkit\.config\.mjs/,
      )
      const env = { COFFERKIT_STORE: 'sqlite:team.db', COFFERKIT_KEY_FILE: '2.key' }
      expect((await startCommand({ folder, env }, 'read', databaseReference)).stdout).toBe(
        's3cret\n',
      )
      // With the old key alone.
      writeFileSync(config, configText('2027', '2027'))
      const lost = await run('doctor')
      expect(lost).toMatchObject({
        code: 2,
        stdout: /failed {2}key +.* cannot be decrypted with its/,
      })
    }))

  it('is the file of --config, which nothing else can replace', () =>
    withProject(async (run, folder) => {
      writeFileSync(join(folder, 'other.mjs'), configText('2027', '2027'))
      await run('seed', 'seed.json', '--config', 'other.mjs')
      const env = { COFFERKIT_STORE: 'memory' }
      const read = await startCommand(
        { folder, env },
        'read',
        databaseReference,
        '--config',
        'other.mjs',
      )
      expect(read.stdout).toBe('s3cret\n')
      const both = await run('gc', '--config', 'other.mjs', '--store', 'memory')
      expect(both.stderr).toBe('error: --store and --config exclude each other\n')
      const none = await run('gc', '--config', 'none.mjs')
      expect(none.stderr).toBe('error: none.mjs does not exist\n')
      writeFileSync(join(folder, 'other.tsx'), '')
      const unknown = await run('gc', '--config', 'other.tsx')
      expect(unknown.stderr).toMatch(
        /^error: other\.tsx cannot be imported: Unknown file extension/,
      )
      const replaced = await run('rotate', '--config', 'other.mjs', '--new-key', '2.key')
      expect(replaced.stderr).toMatch(/^error: --new-key cannot be used with other\.mjs\nPut both/)
      for (const extension of ['mjs', 'js'])
        writeFileSync(join(folder, `cofferkit.config.${extension}`), '')
      expect((await run('gc')).stderr).toMatch(
        /^error: both cofferkit\.config\.mjs and cofferkit\.c/,
      )
    }))

  it('can be TypeScript', () =>
    withProject(async (run, folder) => {
      const text = `import { openSqliteStore } from 'cofferkit/sqlite'
        const path: string = 'team.db'
        export default { store: await openSqliteStore(path) }`
      writeFileSync(join(folder, 'cofferkit.config.ts'), text)
      const planted = await run('seed', 'seed.json')
      expect(planted.stderr).toMatch(/ in the store of cofferkit\.config\.ts\.$/m)
    }))

  const store =
    'import { createMemoryStore } from "cofferkit/memory"\nconst store = createMemoryStore()\n'
  it.each([
    ['', 'has no default export\nWrite: export default { store }'],
    ['export const store = 1', 'has no default export\nWrite: export default { store }'],
    ['export default 7', 'the default export of FILE has no store\nExport { store }, or a'],
    [`${store}export default store`, 'the default export of FILE has no store\nExport { store }'],
    [
      `${store}export default { store: Promise.reject(store) }`,
      'store of FILE is a promise\nWrite await',
    ],
    [
      `${store}export default Promise.resolve({ store })`,
      'export of FILE is a promise\nWrite await',
    ],
    [`${store}export default { store, close: 1 }`, 'close of FILE must be a function'],
    [`${store}export default { store, keys: {} }`, 'FILE exports keys, and'],
    ["\nthrow new Error('s3cret')", 'FILE failed in line 2: Error'],
    [
      "export default () => {\n\n throw new TypeError('s3cret') }",
      'FILE failed in line 3: TypeError',
    ],
    ['export default {', 'FILE cannot be imported: Unexpected'],
    [
      "import { readKeyFile } from 'cofferkit/encrypted'\nawait readKeyFile('/none')",
      'FILE failed in line 2: the key file /none does not exist',
    ],
  ])('is named in the error when it is wrong: %s', (text, message) =>
    withProject(async (run, folder) => {
      writeFileSync(join(folder, 'cofferkit.config.mjs'), text)
      const { code, stderr } = await run('gc')
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(message.replace('FILE', 'cofferkit.config.mjs')),
      ])
      expect(stderr).not.toMatch(/s3cret|^ +at /m)
    }),
  )
})

describe('--encrypt', { timeout: 240_000 }, () => {
  it('finds the ids of the keys in the store', () =>
    withProject(async (run, folder) => {
      const database = await openSqliteStore(join(folder, 'team.db'))
      const byName = (byte: number) => new Uint8Array(32).fill(byte)
      const idOf = (byte: number) => createLocalKeyProvider({ key: byName(byte) }).currentKekId
      const open = (names: Record<string, Uint8Array>, current: string) =>
        createEncryptedStore(database, {
          keys: createLocalKeyProvider({ keys: names, keyId: current }),
        })
      const first = open({ '2026': byName(1) }, '2026')
      await createVaultService({ store: first }).createVault(caller, { name: 'Old' })
      const both = { '2026': byName(1), '2027': byName(2) }
      const service = createVaultService({ store: open(both, '2027') })
      const { id: vaultId } = await service.createVault(caller, { name: 'Team' })
      const field = { id: 'password', purpose: 'PASSWORD', value: 's3cret' } as const
      const item = { category: 'LOGIN', title: 'Database', fields: [field] } as const
      await service.createItem(caller, { vaultId, item })

      const flags = ['--store', 'sqlite:team.db', '--encrypt']
      const half = await run('read', databaseReference, ...flags, '2.key')
      expect(half).toMatchObject({
        code: 2,
        stderr: `error: SQLite file team.db cannot be decrypted with 2.key: pass the key file of its key ${idOf(1)}\n`,
      })
      const other = await run('doctor', ...flags, '3.key')
      const ids = [idOf(1), idOf(2)].sort().join(' and ')
      expect(other.stdout).toContain(`Pass the key files of its keys ${ids}.\n`)
      const twice = [...flags, '2.key', '--encrypt', '1.key']
      expect((await run('read', databaseReference, ...twice)).stdout).toBe('s3cret\n')
      // A vault that the command creates is under a key that the service has.
      await run('seed', 'seed.json', ...twice)
      const again = createVaultService({ store: open(both, '2027') })
      for (const { id } of await again.listVaults(caller))
        await again.listItems(caller, { vaultId: id })

      await open(both, '2027').rewrapKeys()
      expect((await run('doctor', ...flags, '2.key')).code).toBe(0)
      const replaced = await run('rotate', ...flags, '2.key', '--new-key', '3.key')
      expect(replaced.stdout).toMatch(/^Wrapped \d key rings with 3\.key\. Use this/)
      const changed = createVaultService({ store: open({ '2028': byName(3) }, '2028') })
      expect(await changed.listItems(caller, { vaultId })).toHaveLength(1)
      await database.close()
    }))
})

describe('doctor on a module that encrypts', { timeout: 120_000 }, () => {
  it.each([
    ['an encrypted store', '{ store }', /^ok {6}key +its keys decrypt the store$/m],
    [
      'a wrapper',
      '{ store: { records: store.records, blobs: store.blobs } }',
      /^ok {6}key +not known/m,
    ],
  ])('does not call %s plaintext', (_, exported, line) =>
    withProject(async (run, folder) => {
      const text = configText('2027', '2027').replace(
        /return \{.*/,
        `
        const store = createEncryptedStore(database, { keys })
        return ${exported}`,
      )
      writeFileSync(join(folder, 'my-store.mjs'), text)
      const flags = ['--store', './my-store.mjs']
      const planted = await run('seed', 'seed.json', ...flags)
      expect(planted.stderr).toMatch(/ in module \.\/my-store\.mjs\.$/m)
      const { code, stdout } = await run('doctor', ...flags)
      expect([code, stdout]).toEqual([0, expect.stringMatching(line)])
      expect(stdout).not.toMatch(/plaintext/)
      const served = await startServe({ folder }, ...flags)
      expect(served.state).toMatchObject({ isPlaintext: false })
      await served.stop()
      const twice = await run('doctor', ...flags, '--encrypt', '2.key')
      expect([twice.code, twice.stdout]).toEqual([2, expect.stringMatching(/eave --encrypt.*out/)])
      expect(twice.stdout).not.toMatch(/reencrypt|plaintext/)
    }),
  )
})

describe.runIf(postgresFolder() !== undefined)('--schema', { timeout: 120_000 }, () => {
  it('is the schema of the tables, also as ?schema= in the URL', async () => {
    const server = await startPostgres()
    try {
      await withProject(async (run) => {
        const pool = new pg.Pool({ connectionString: server.url })
        await pool.query('CREATE SCHEMA vaults')
        await migratePostgres(pool, { schema: 'vaults' })
        const service = createVaultService({
          store: createPostgresStore(pool, { schema: 'vaults' }),
        })
        await service.createVault(caller, { name: 'Team' })
        const missing =
          'error: the tables of cofferkit are in the schema vaults\nPass --schema vaults, or ?schema=vaults at the end of the URL.\n'
        for (const command of ['export', 'migrate', 'gc']) {
          const result = await run(command, '--store', server.url)
          expect([command, result.stderr]).toEqual([command, missing])
        }
        for (const flags of [[server.url, '--schema', 'vaults'], [`${server.url}?schema=vaults`]]) {
          const { stderr } = await run('export', '--store', ...flags)
          expect(stderr).toMatch(/^Exported 1 vault/m)
          expect((await run('migrate', '--store', ...flags)).stdout).toMatch(/, schema vaults$/m)
        }
        const printed = await run('migrate', '--print', '--store', `${server.url}?schema=vaults`)
        expect(printed.stdout).toContain('"vaults"."cofferkit_records"')
        for (const [store, schema] of [
          ['memory', 'vaults'],
          [server.url, '1"'],
        ])
          expect((await run('gc', `--store=${store}`, `--schema=${schema}`)).code).toBe(2)
        await pool.end()
      })
    } finally {
      await server.stop()
    }
  })
})
