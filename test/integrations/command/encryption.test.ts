import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCaller, createVaultService } from 'cofferkit'
import { createCredentials } from 'cofferkit/credentials'
import { createLocalKeyProvider, readKeyFile } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import { openSqliteStore } from 'cofferkit/sqlite'
import { describe, expect, it } from 'vitest'
import { databaseReference, databaseSeed } from '../support/command/database-seed.js'
import { runCommand, startServe, withFolder } from '../support/command/run-command.js'

const seed = databaseSeed('s3cret')
const file = 'SQLite file cofferkit.db'
const login = { username: 'wendy', password: 's3cret' }
const passwords = { encrypted: false, items: [{ id: 'a', type: 1, name: 'Mail', login }] }

/** Every command that opens a store and needs nothing else; `in.jsonl` is an export. */
const commands = [
  ['seed', 'seed.json'],
  ['import', 'in.jsonl'],
  ['import', '--dry-run', 'in.jsonl'],
  ['import', '--from', 'auto', 'in.json'],
  ['import', '--from', 'auto', '--dry-run', 'in.json'],
  ['serve', '--port', '0'],
  ['read', databaseReference],
  ['inject', 'template'],
  ['run', '--', process.execPath, '--version'],
  ['export'],
  ['gc'],
]

describe('a command with the wrong key file', { timeout: 240_000 }, () => {
  it('ends with 2 and writes nothing to an encrypted store', () =>
    withFolder(async (folder) => {
      const run = await createRun(folder)
      await run('seed', 'seed.json', '--encrypt', 'a.key')
      const before = readFileSync(join(folder, 'cofferkit.db'))
      const key = await readKeyFile(join(folder, 'a.key'))
      const kekId = createLocalKeyProvider({ key }).currentKekId
      for (const command of commands) {
        const without = await run(...command)
        expect([command, without]).toEqual([
          command,
          refused(`${file} is encrypted: pass its key file with --encrypt`),
        ])
        const wrong = await run(...insertFlags(command, '--encrypt', 'b.key'))
        expect([command, wrong]).toEqual([
          command,
          refused(`${file} cannot be decrypted with b.key: pass the key file of its key ${kekId}`),
        ])
      }
      for (const command of ['rotate', 'reencrypt', 'reencrypt --from-plaintext']) {
        const result = await run(...command.split(' '), '--encrypt', 'b.key')
        expect(result.stderr).toMatch(/cannot be decrypted with b\.key: pass the key file/)
      }
      const replaced = await run('rotate', '--encrypt', 'b.key', '--new-key', 'c.key')
      expect(replaced.stderr).toMatch(/cannot be decrypted with b\.key: pass the key file/)
      expect(readFileSync(join(folder, 'cofferkit.db')).equals(before)).toBe(true)
      expect((await run('read', databaseReference, '--encrypt', 'a.key')).stdout).toBe('s3cret\n')
    }))

  it('ends with 2 and writes nothing to a plaintext store', () =>
    withFolder(async (folder) => {
      const run = await createRun(folder)
      await run('seed', 'seed.json')
      const remedy = 'or run cofferkit reencrypt --from-plaintext --encrypt a.key'
      const expected = refused(`${file} is not encrypted: leave --encrypt out, ${remedy}`)
      for (const command of commands) {
        const result = await run(...insertFlags(command, '--encrypt', 'a.key'))
        expect([command, result]).toEqual([command, expected])
      }
      for (const command of ['rotate', 'reencrypt', 'rotate --new-key b.key'])
        expect(await run(...command.split(' '), '--encrypt', 'a.key')).toEqual(expected)
      const env = { COFFERKIT_KEY_FILE: 'a.key' }
      const variable = await runCommand({ folder, env }, 'read', databaseReference)
      expect(variable.stderr).toMatch(/is not encrypted: unset COFFERKIT_KEY_FILE, or run/)
      const doctor = await run('doctor', '--encrypt', 'a.key')
      expect(doctor.stdout).toMatch(/^failed {2}key .* is not encrypted\n +Leave --encrypt out/m)
    }))

  it('finds plaintext records among encrypted ones, and reencrypt encrypts them', () =>
    withFolder(async (folder) => {
      const run = await createRun(folder)
      await run('seed', 'seed.json', '--encrypt', 'a.key')
      await addPlaintext(join(folder, 'cofferkit.db'))
      const problem = `${file} is encrypted, but has 3 plaintext records, probably written without --encrypt`
      const remedy = 'run cofferkit reencrypt --from-plaintext --encrypt a.key'
      const served = await run('serve', '--port', '0', '--encrypt', 'a.key')
      expect(served).toEqual(refused(`${problem}: ${remedy}`))
      const doctor = await run('doctor', '--encrypt', 'a.key')
      expect(doctor.code).toBe(2)
      expect(doctor.stdout).toContain(`failed  key         ${problem}\n`)
      expect(doctor.stdout).toMatch(/^ +Run cofferkit reencrypt --from-plaintext --encrypt a\.key/m)
      const wrong = await run('reencrypt', '--from-plaintext', '--encrypt', 'b.key')
      expect(wrong.stderr).toMatch(/cannot be decrypted with b\.key/)
      const mended = await run('reencrypt', '--from-plaintext', '--encrypt', 'a.key')
      expect(mended).toMatchObject({ code: 0, stdout: 'Encrypted 3 records and 0 files.\n' })
      expect((await run('doctor', '--encrypt', 'a.key')).code).toBe(0)
    }))
})

describe('--encrypt', { timeout: 120_000 }, () => {
  it('is COFFERKIT_KEY_FILE if absent', () =>
    withFolder(async (folder) => {
      await createRun(folder)
      const env = { COFFERKIT_KEY_FILE: 'a.key' }
      const planted = await runCommand({ folder, env }, 'seed', 'seed.json')
      expect(planted.stderr).toMatch(
        / in a new SQLite file cofferkit\.db, encrypted with a\.key\.$/m,
      )
      const served = await startServe({ folder, env })
      expect(served.state.store).toBe(`${file}, encrypted with a.key`)
      await served.stop()
      expect((await runCommand({ folder, env }, 'rotate')).code).toBe(0)
      expect((await runCommand({ folder, env }, 'reencrypt')).code).toBe(0)
      expect((await runCommand({ folder, env }, 'migrate')).code).toBe(0)
      expect((await runCommand({ folder, env }, 'read', databaseReference)).stdout).toBe('s3cret\n')
      expect((await runCommand({ folder }, 'read', databaseReference)).code).toBe(2)
    }))

  it('names a key file that others can read, and says what to do', () =>
    withFolder(async (folder) => {
      const run = await createRun(folder)
      for (const mode of [0o444, 0o440, 0o644]) {
        chmodSync(join(folder, 'a.key'), mode)
        const { code, stderr } = await run('serve', '--port', '0', '--encrypt', 'a.key')
        expect(code).toBe(2)
        expect(stderr).toMatch(/^error: the key file \S+\/a\.key must have mode 0600 or 0400: /)
        expect(stderr).toMatch(/\nRun: chmod 600 a\.key; or copy it, .*install -m 400 a\.key /)
        expect(existsSync(join(folder, 'cofferkit.db'))).toBe(false)
      }
      chmodSync(join(folder, 'a.key'), 0o400)
      expect((await run('seed', 'seed.json', '--encrypt', 'a.key')).code).toBe(0)
    }))

  it('names a key file that does not exist, and keygen only for a new store', () =>
    withFolder(async (folder) => {
      const run = await createRun(folder)
      const message = 'error: the key file none does not exist\n'
      const fresh = await run('seed', 'seed.json', '--encrypt', 'none')
      expect(fresh.stderr).toBe(`${message}Run: npx cofferkit keygen none\n`)
      await run('seed', 'seed.json')
      const existing = await run('seed', 'seed.json', '--encrypt', 'none')
      expect(existing.stderr).toBe(
        `${message}${file} already exists: pass the key file that it was encrypted with.\n`,
      )
    }))
})

type Run = (...parameters: readonly string[]) => ReturnType<typeof runCommand>

/** Creates files and keys, and returns a function that runs commands in the folder. */
async function createRun(folder: string): Promise<Run> {
  for (const [index, name] of ['a.key', 'b.key', 'c.key'].entries())
    writeFileSync(join(folder, name), `${index + 1}`.repeat(64), { mode: 0o600 })
  writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed))
  writeFileSync(join(folder, 'in.json'), JSON.stringify(passwords))
  writeFileSync(join(folder, 'template'), `{{ ${databaseReference} }}`)
  const lines = [
    { format: 'cofferkit-export', version: 1 },
    { vault: { id: 'a'.repeat(26), name: 'Imported vault' } },
    { end: { vaults: 1, items: 0, files: 0 } },
  ]
  writeFileSync(join(folder, 'in.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return (...parameters) => runCommand({ folder }, ...parameters)
}

function refused(message: string): object {
  return { code: 2, stdout: '', stderr: `error: ${message}\n` }
}

/** Puts flags behind the name of a command. */
function insertFlags(
  [name = '', ...rest]: readonly string[],
  ...flags: readonly string[]
): readonly string[] {
  return [name, ...flags, ...rest]
}

/** Writes a vault with a credential as a process without the key did. */
async function addPlaintext(path: string): Promise<void> {
  const plain = createMemoryStore()
  const service = createVaultService({ store: plain })
  const caller = createCaller({ id: 'tester', vaults: '*' })
  const { id: vaultId } = await service.createVault(caller, { name: 'Plain' })
  const credentials = createCredentials(service, { stripe: { fields: { key: {} } } })
  await credentials.of(caller, vaultId).save('stripe', { key: 'plain' })
  const store = await openSqliteStore(path)
  for (const collection of ['vaults', `items/${vaultId}`, `credentials/${vaultId}`])
    for (const { id, body } of await plain.records.list(collection, { limit: 1 }))
      await store.records.put({ collection, id }, { body }, 0)
  await store.close()
}
