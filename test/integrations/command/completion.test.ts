import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandText, runCommand, withFolder } from '../support/command/run-command.js'

describe('completion', () => {
  const program = `#!/bin/sh\nexec ${commandText()} "$@"\n`

  it('completes commands and flags in bash', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'cofferkit'), program)
      chmodSync(join(folder, 'cofferkit'), 0o755)
      const script = `source <(cofferkit completion bash)
        COMP_WORDS=(cofferkit re); COMP_CWORD=1; _cofferkit; echo "\${COMPREPLY[*]}"
        COMP_WORDS=(cofferkit serve --st); COMP_CWORD=2; _cofferkit; echo "\${COMPREPLY[*]}"
        COMP_WORDS=(cofferkit serve --dialect ''); COMP_CWORD=3; _cofferkit; echo "\${COMPREPLY[*]}"
        COMP_WORDS=(cofferkit activity --result ''); COMP_CWORD=3; _cofferkit; echo "\${COMPREPLY[*]}"
        complete -p cofferkit`
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
      const { stdout } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' })
      expect(stdout.split('\n').slice(0, 5)).toEqual([
        'relay read reencrypt',
        '--store',
        'connect contract',
        'PENDING SUCCESS DENY',
        'complete -o default -F _cofferkit cofferkit',
      ])
    }))

  it('prints words with their help for zsh, and rejects other shells', () =>
    withFolder(async (folder) => {
      const { stdout } = await runCommand({ folder }, '__complete', 'zsh', 'rot')
      expect(stdout).toMatch(/^rotate:Give every vault/)
      expect((await runCommand({ folder }, 'completion', 'zsh')).stdout).toMatch(/^#compdef/)
      expect((await runCommand({ folder }, 'completion', 'fish')).code).toBe(2)
    }))
})
