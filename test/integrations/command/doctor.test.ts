import { join } from 'node:path'
import { openSqliteStore } from 'cofferkit/sqlite'
import { describe, expect, it } from 'vitest'
import { runCommand, withFolder } from '../support/command/run-command.js'
import { withStore } from '../support/command/with-store.js'

describe('doctor', () => {
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

  it('does not say that a key opens a store in which nothing is encrypted', () =>
    withFolder(async (folder) => {
      await runCommand({ folder }, 'keygen', 'a')
      await (await openSqliteStore(join(folder, 'cofferkit.db'))).close()
      const { code, stdout } = await runCommand({ folder }, 'doctor', '--deep', '--encrypt', 'a')
      expect(code).toBe(0)
      expect(stdout).toMatch(/key +the store has no data key, so a was not tested$/m)
    }))

  it('names a damaged key ring', () =>
    withStore(async (run, folder) => {
      await run('keygen', 'a')
      await run('reencrypt', '--encrypt', 'a', '--from-plaintext')
      const { records, close } = await openSqliteStore(join(folder, 'cofferkit.db'))
      const rings = await records.list('keys', { limit: 9 })
      const { id = '', version = 0 } = rings.find(({ id }) => id !== 'vaults') ?? {}
      await records.put({ collection: 'keys', id }, { body: new Uint8Array(9) }, version)
      await close()
      const { code, stdout } = await run('doctor', '--encrypt', 'a')
      expect(code).toBe(2)
      expect(stdout).toContain(`has damaged key rings: ${id}\n`)
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

function statusesOf({ checks }: { checks: { name: string; status: string }[] }): object {
  return Object.fromEntries(checks.map(({ name, status }) => [name, status]))
}
