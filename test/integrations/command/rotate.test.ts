import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { databaseReference } from '../support/command/database-seed.js'
import { withStore } from '../support/command/with-store.js'

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
      expect(replaced.stdout).toBe(
        'Wrapped 2 data keys with b, named local. Use this file from now on.\n',
      )
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
