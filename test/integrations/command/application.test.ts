import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand, withFolder } from '../support/command/run-command.js'

const root = join(import.meta.dirname, '../../..')

describe('cofferkit', () => {
  it('prints its version, and its help with every command', () =>
    withFolder(async (folder) => {
      const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
      const printed = await runCommand({ folder }, '--version')
      expect(printed).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
      const { stdout, code } = await runCommand({ folder }, '--help')
      expect(code).toBe(0)
      const page = readFileSync(join(root, 'docs/command.md'), 'utf8')
      for (const [, name] of stdout.split('COMMANDS')[1]?.matchAll(/^ {2}(\w+) /gm) ?? [])
        expect(page).toContain(`\n### ${name}\n`)
    }))

  it('ends with 2 when the command is unknown or absent arguments are needed', () =>
    withFolder(async (folder) => {
      const unknown = await runCommand({ folder }, 'serv')
      expect(unknown).toMatchObject({ code: 2, stdout: '' })
      expect(unknown.stderr).toMatch(/^error: unknown command serv, did you mean `serve`\?/)
      expect((await runCommand({ folder }, 'keygen')).code).toBe(2)
    }))

  it('names the flag in its own spelling, the help of the command, and -- before a command', () =>
    withFolder(async (folder) => {
      const flag = await runCommand({ folder }, 'import', '--dryrun', 'in')
      expect(flag.stderr).toBe(
        'error: unknown flag --dryrun, did you mean --dry-run?\nRun cofferkit import --help.\n',
      )
      for (const command of [
        ['sh', '-c', 'true'],
        ['npm', 'test', '--watch'],
        ['--store', 'memory', 'sh', '-lc', 'true'],
      ]) {
        const { code, stderr } = await runCommand({ folder }, 'run', ...command)
        expect(code).toBe(2)
        expect(stderr).toMatch(/^error: put -- before the command: cofferkit run -- \.\.\.\n/)
      }
      const own = await runCommand({ folder }, 'run', '--stor', 'memory', '--', 'sh', '-c', 'true')
      expect(own.stderr).toMatch(/^error: unknown flag --stor, did you mean --store\?/)
    }))
})
