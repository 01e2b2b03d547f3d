import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordStore } from 'cofferkit'
import { createEncryptedStore, createLocalKeyProvider, readKeyFile } from 'cofferkit/encrypted'
import { openSqliteStore } from 'cofferkit/sqlite'
import { describe, expect, it } from 'vitest'
import { databaseReference } from '../support/command/database-seed.js'
import { commandText } from '../support/command/run-command.js'
import { withStore } from '../support/command/with-store.js'

type Run = Parameters<Parameters<typeof withStore>[0]>[0]

interface Rings {
  readonly run: Run
  readonly folder: string
  /**
   * Writes to a scope as a process does whose current key is that of this file, and which has been
   * running since the store had only the key `a`.
   */
  write(file: string, scope: string): Promise<void>
  /** Resolves when another process has changed a key ring. */
  waitForChange(): Promise<void>
}

/**
 * Calls `work` with a store of 91 key rings that are encrypted with the file `a`, and with the key
 * files `b` and `c`. A page of key rings has 100, so that a new one is not on it.
 */
async function withRings(work: (rings: Rings) => Promise<void>): Promise<void> {
  await withStore(async (run, folder) => {
    for (const file of ['a', 'b', 'c']) await run('keygen', file)
    await run('reencrypt', '--encrypt', 'a', '--from-plaintext')
    const inner = await openSqliteStore(join(folder, 'cofferkit.db'))
    const open = async (current: string, former = current) => {
      const read = (file: string) => readKeyFile(join(folder, file))
      const keys = { [former]: await read(former), [current]: await read(current) }
      return createEncryptedStore(inner, { keys: createLocalKeyProvider({ keys, keyId: current }) })
        .records
    }
    const put = async (records: RecordStore, scope: string) => {
      const collection = `items/${scope}`
      await records.put({ collection, id: 'a' }, { body: new Uint8Array(1) }, 0)
    }
    const records = await open('a')
    const scopes = Array.from({ length: 89 }, (_, index) => `v${index}`.padEnd(26, 'v'))
    await Promise.all(scopes.map((scope) => put(records, scope)))
    const readRings = async () => JSON.stringify(await inner.records.list('keys', { limit: 100 }))
    const before = await readRings()
    try {
      await work({
        run,
        folder,
        write: async (file, scope) => put(file === 'a' ? records : await open(file, 'a'), scope),
        async waitForChange() {
          while ((await readRings()) === before)
            await new Promise((resolve) => setTimeout(resolve, 1))
        },
      })
    } finally {
      await inner.close()
    }
  })
}

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
      expect(replaced.stdout).toMatch(
        /^Wrapped 2 key rings with b\. Use this file from now on\.\n$/,
      )
      expect(replaced.stderr).toContain('Restart every process that has a, and keep it')
      expect((await run('read', databaseReference, '--encrypt', 'b')).stdout).toBe('s3cret\n')
      expect(await run('read', databaseReference, '--encrypt', 'a')).toMatchObject({
        code: 2,
        stdout: '',
      })
      const again = await run('rotate', '--encrypt', 'a', '--new-key', 'b')
      expect(again).toMatchObject({ code: 0, stdout: replaced.stdout.replace('2 key', '0 key') })
      expect((await run('read', 'op://Team/Database/ca.pem', '--encrypt', 'b')).code).toBe(0)
      expect((await run('rotate', '--encrypt', 'a')).code).toBe(2)
      expect(readFileSync(join(folder, 'cofferkit.db')).includes('s3cret')).toBe(false)
    }))

  it('work with every key file that a store needs', () =>
    withRings(async ({ run, write }) => {
      expect((await run('rotate', '--encrypt', 'a', '--new-key', 'b')).code).toBe(0)
      // A process that knows only the former key, and one that has the new key as well.
      await write('a', 'w'.repeat(26))
      await write('b', 'x'.repeat(26))
      expect((await run('read', databaseReference, '--encrypt', 'b')).code).toBe(2)
      for (const [first, second] of ['ab', 'ba'].map((files) => [...files] as [string, string])) {
        const { code, stdout } = await run('reencrypt', '--encrypt', first, '--encrypt', second)
        expect({ code, stdout }).toEqual({ code: 0, stdout: 'Encrypted 0 records and 0 files.\n' })
      }
      expect((await run('rotate', '--encrypt', 'a', '--new-key', 'b')).code).toBe(0)
      expect((await run('read', databaseReference, '--encrypt', 'b')).stdout).toBe('s3cret\n')
      expect((await run('reencrypt', '--encrypt', 'b')).code).toBe(0)
    }))

  it('name what another process has written while the key was replaced', () =>
    withRings(async ({ run, write, waitForChange }) => {
      const rotating = run('rotate', '--encrypt', 'a', '--new-key', 'b')
      await waitForChange()
      const scope = 'w'.repeat(26)
      await write('a', scope)
      const { code, stdout, stderr } = await rotating
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(`1 key ring cannot be opened with b alone: ${scope}`)
      expect(stderr).toContain('run this again with the former file')
      expect((await run('rotate', '--encrypt', 'a', '--new-key', 'b')).code).toBe(0)
      expect((await run('reencrypt', '--encrypt', 'b')).code).toBe(0)
    }))

  it('refuse another new file after an interruption, and continue with the same one', () =>
    withRings(async ({ run, folder, waitForChange }) => {
      const line = commandText('rotate', '--encrypt', 'a', '--new-key', 'b')
      const child = spawn(`exec ${line}`, { cwd: folder, shell: true, stdio: 'ignore' })
      await waitForChange()
      child.kill('SIGKILL')
      await once(child, 'exit')
      const { code, stderr } = await run('rotate', '--encrypt', 'a', '--new-key', 'c')
      expect(code).toBe(2)
      expect(stderr).toMatch(/cannot be decrypted with a: pass the key file of its key key-/)
      expect((await run('rotate', '--encrypt', 'a', '--new-key', 'b')).code).toBe(0)
      expect((await run('reencrypt', '--encrypt', 'b')).code).toBe(0)
    }))

  it('name a third key, whose file they need, and accept it', () =>
    withRings(async ({ run, folder, write }) => {
      await write('c', 'x'.repeat(26))
      const { code, stderr } = await run('rotate', '--encrypt', 'a', '--new-key', 'b')
      expect(code).toBe(2)
      const key = await readKeyFile(join(folder, 'c'))
      const { currentKekId } = createLocalKeyProvider({ key })
      expect(stderr).toContain(
        `cannot be decrypted with a: pass the key file of its key ${currentKekId}`,
      )
      const all = ['--encrypt', 'a', '--encrypt', 'c', '--new-key', 'b']
      expect((await run('rotate', ...all)).code).toBe(0)
      expect((await run('reencrypt', '--encrypt', 'b')).code).toBe(0)
    }))

  it('leave nothing unreadable when a forgotten process goes on with the former key', () =>
    withRings(async ({ run, write }) => {
      expect((await run('rotate', '--encrypt', 'a', '--new-key', 'b')).code).toBe(0)
      // It still makes key rings with the former key, and is found by each command with the new one.
      const scope = 'w'.repeat(26)
      await write('a', scope)
      const closed = await run('doctor', '--deep', '--encrypt', 'b')
      expect(closed).toMatchObject({
        code: 2,
        stdout: /pass the key file of its key key-[\da-f]{8}/i,
      })
      expect((await run('rotate', '--encrypt', 'a', '--new-key', 'b')).code).toBe(0)
      expect(await run('doctor', '--deep', '--encrypt', 'b')).toMatchObject({ code: 0 })
    }))

  it('leave nothing unreadable when the key is replaced twice with files of one name', () =>
    withRings(async ({ run, folder, write }) => {
      expect((await run('rotate', '--encrypt', 'a', '--new-key', 'b')).code).toBe(0)
      await write('a', 'w'.repeat(26))
      // Another key gets the name of the first file, as if the files were exchanged each year.
      renameSync(join(folder, 'a'), join(folder, 'first'))
      renameSync(join(folder, 'c'), join(folder, 'a'))
      const refused = await run('rotate', '--encrypt', 'b', '--new-key', 'a')
      expect(refused).toMatchObject({ code: 2, stderr: /key file of its key key-[\da-f]{8}/ })
      const both = ['--encrypt', 'b', '--encrypt', 'first']
      expect((await run('rotate', ...both, '--new-key', 'a')).code).toBe(0)
      expect(await run('doctor', '--deep', '--encrypt', 'a')).toMatchObject({ code: 0 })
      expect((await run('reencrypt', '--encrypt', 'a')).code).toBe(0)
      expect((await run('read', databaseReference, '--encrypt', 'b')).code).toBe(2)
    }))

  it('refuse to replace a key by itself', () =>
    withRings(async ({ run }) => {
      const { code, stderr } = await run('rotate', '--encrypt', 'a', '--new-key', 'a')
      expect(code).toBe(2)
      expect(stderr).toContain('a contains the same key as --encrypt')
    }))

  it('end with 2 when there is no key', () =>
    withStore(async (run) => {
      expect(await run('rotate')).toMatchObject({ code: 2, stderr: /--encrypt/ })
      expect(await run('reencrypt')).toMatchObject({ code: 2, stderr: /--encrypt/ })
    }))
})
