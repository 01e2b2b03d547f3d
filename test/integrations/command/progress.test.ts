import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandText, withFolder } from '../support/command/run-command.js'

/** The program that runs a command on a terminal, of util-linux. */
const hasTerminal = spawnSync('script', ['--version']).status === 0

describe.skipIf(!hasTerminal)('withProgress', () => {
  it.each([
    [80, true],
    [0, false],
  ])('shows progress on a terminal of %i columns: %s', (columns, isShown) =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'seed.json'), '{"vaults":[{"name":"Team"}]}')
      const line = commandText('seed', 'seed.json')
      const shell = `stty cols ${columns}; ${line}`
      const flags = ['-qec', shell, '/dev/null']
      const { stdout, status } = spawnSync('script', flags, { cwd: folder, encoding: 'utf8' })
      expect(status).toBe(0)
      expect(stdout.includes('Creating vaults')).toBe(isShown)
      expect(stdout).toMatch(/[\da-z]{26} {2}0 items\r\nCreated 1 vault and 0 items in /)
    }),
  )
})
