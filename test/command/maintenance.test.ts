import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteMigrations } from 'cofferkit/sqlite'
import { describe, expect, it } from 'vitest'
import { databaseReference, databaseSeed } from '../support/command/database-seed.js'
import { runCommand, withFolder } from '../support/command/run-command.js'

const seed = databaseSeed('s3cret', [{ name: 'ca.pem', content: 's3cret-file' }])

describe('rotate and reencrypt', { timeout: 120_000 }, () => {
  it('turn encryption on, give new data keys, and replace the key file', () =>
    withStore(async (run, folder) => {
      await run('keygen', 'a')
      await run('keygen', 'b')
      expect(await run('reencrypt', '--encrypt', 'a', '--from-plaintext')).toMatchObject({
        code: 0,
        stdout: 'Encrypted 2 records and 1 file.\n',
      })
      expect((await run('read', databaseReference)).code).toBe(2)
      expect((await run('read', databaseReference, '--encrypt', 'a')).stdout).toBe('s3cret\n')
      expect((await run('rotate', '--encrypt', 'a')).stdout).toMatch(/^Created 2 data keys\./)
      expect((await run('reencrypt', '--encrypt', 'a')).stdout).toMatch(/^Encrypted 2 records/)
      expect((await run('reencrypt', '--encrypt', 'a')).stdout).toMatch(/^Encrypted 0 records/)

      const replaced = await run('rotate', '--encrypt', 'a', '--new-key', 'b')
      expect(replaced.stdout).toBe('Wrapped 2 data keys with b. Use this file from now on.\n')
      expect((await run('read', databaseReference, '--encrypt', 'b')).stdout).toBe('s3cret\n')
      expect(await run('read', databaseReference, '--encrypt', 'a')).toMatchObject({
        code: 2,
        stdout: '',
      })
      const again = await run('rotate', '--encrypt', 'a', '--new-key', 'b')
      expect(again.code).toBe(0)
      expect((await run('read', 'op://Team/Database/ca.pem', '--encrypt', 'b')).code).toBe(0)
      expect((await run('rotate', '--encrypt', 'a')).code).toBe(2)
      expect(readFileSync(join(folder, 'cofferkit.db')).includes('s3cret')).toBe(false)
    }))

  it('end with 2 when there is no key', () =>
    withStore(async (run) => {
      expect(await run('rotate')).toMatchObject({ code: 2, stderr: /--encrypt/ })
      expect(await run('reencrypt')).toMatchObject({ code: 2, stderr: /--encrypt/ })
    }))
})

describe('gc', { timeout: 60_000 }, () => {
  it('collects the garbage of every vault', () =>
    withStore(async (run) => {
      expect(await run('gc')).toEqual({
        code: 0,
        stdout: 'Deleted 0 contents in 1 vault.\n',
        stderr: '',
      })
      expect((await run('gc', '--min-age', '59')).code).toBe(2)
      expect((await run('gc', '--store', 'sqlite:none.db')).code).toBe(2)
    }))
})

describe('migrate', { timeout: 60_000 }, () => {
  it('prints the statements of each database', () =>
    withFolder(async (folder) => {
      const sqlite = await runCommand({ folder }, 'migrate', '--print')
      expect(sqlite.code).toBe(0)
      expect(sqlite.stdout.match(/;$/gm)).toHaveLength(sqliteMigrations().length)
      const url = 'postgres://a:s3cret@none.invalid/b'
      const postgres = await runCommand({ folder }, 'migrate', '--print', '--store', url)
      expect(postgres.stdout).toMatch(/^CREATE TABLE/i)
      const mysql = await runCommand({ folder }, 'migrate', '--print', '--store', 'mysql://a@b/c')
      expect(mysql.stdout).toContain('ENGINE = InnoDB')
      expect((await runCommand({ folder }, 'migrate', '--print', '--store', 'memory')).code).toBe(2)
    }))
})

describe('doctor', { timeout: 60_000 }, () => {
  it('checks a store, and tells what to do', () =>
    withStore(async (run) => {
      const plain = JSON.parse((await run('doctor', '--json')).stdout)
      expect(plain).toMatchObject({ ok: true })
      expect(statusesOf(plain)).toEqual({
        cofferkit: 'ok',
        node: 'ok',
        store: 'ok',
        durability: 'ok',
        reading: 'ok',
        key: 'warning',
        clock: 'ok',
      })
      await run('keygen', 'a')
      await run('reencrypt', '--encrypt', 'a', '--from-plaintext')
      const keyed = JSON.parse((await run('doctor', '--json', '--encrypt', 'a')).stdout)
      expect(statusesOf(keyed)).toMatchObject({ key: 'ok', reading: 'ok' })
      const unkeyed = await run('doctor')
      expect(unkeyed).toMatchObject({ code: 2, stderr: 'error: failed: key\n' })
      expect(unkeyed.stdout).toMatch(/failed {2}key .*\n +Pass its key file with --encrypt\./)
    }))

  it('ends with 2 when the store cannot be opened', () =>
    withFolder(async (folder) => {
      const { code, stdout } = await runCommand({ folder }, 'doctor')
      expect(code).toBe(2)
      expect(stdout).toMatch(/failed {2}store .*does not exist\n +Name another one with --store/)
      const memory = await runCommand({ folder }, 'doctor', '--store', 'memory')
      expect(memory).toMatchObject({ code: 0, stdout: expect.stringMatching(/warning durability/) })
    }))
})

type Run = (...parameters: readonly string[]) => ReturnType<typeof runCommand>

/** Calls `work` with a function that runs commands in a folder with a filled store. */
async function withStore(work: (run: Run, folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const run: Run = async (...parameters) => {
      const result = await runCommand({ folder }, ...parameters)
      expect(result.stderr).not.toMatch(/^ +at /m)
      return result
    }
    writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed))
    await run('seed', 'seed.json')
    await work(run, folder)
  })
}

function statusesOf({ checks }: { checks: { name: string; status: string }[] }): object {
  return Object.fromEntries(checks.map(({ name, status }) => [name, status]))
}
