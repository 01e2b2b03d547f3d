import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand, withFolder } from '../support/command/run-command.js'

describe('keygen', () => {
  it('creates a key file of mode 0600, and never overwrites it', () =>
    withFolder(async (folder) => {
      expect((await runCommand({ folder }, 'keygen', 'key')).code).toBe(0)
      const text = readFileSync(join(folder, 'key'), 'utf8')
      expect(text).toMatch(/^[\da-f]{64}\n$/)
      expect(statSync(join(folder, 'key')).mode & 0o777).toBe(0o600)
      const again = await runCommand({ folder }, 'keygen', 'key')
      expect(again).toMatchObject({ code: 2, stdout: '' })
      expect(readFileSync(join(folder, 'key'), 'utf8')).toBe(text)
    }))
})
