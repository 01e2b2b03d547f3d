import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { runCommand, withFolder } from '../support/command/run-command.js'

describe('token', () => {
  it('prints a token and its SHA-256', () =>
    withFolder(async (folder) => {
      const { stdout } = await runCommand({ folder }, 'token', '--json')
      const { token, sha256 } = JSON.parse(stdout)
      expect(sha256).toBe(createHash('sha256').update(token).digest('hex'))
      const text = await runCommand({ folder }, 'token')
      expect(text.stdout).toMatch(/^token {3}[\w-]{43}\nsha256 {2}[\da-f]{64}\n$/)
    }))
})
