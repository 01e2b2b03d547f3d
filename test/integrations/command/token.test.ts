import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand, withFolder } from '../support/command/run-command.js'

const vaultId = 'v'.repeat(26)
const tokens = ['--tokens', 'tokens.json']
const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex')

describe('token', () => {
  it('prints a token and its SHA-256', () =>
    withFolder(async (folder) => {
      const { stdout } = await runCommand({ folder }, 'token', '--json')
      const { token, sha256 } = JSON.parse(stdout)
      expect(sha256).toBe(digestOf(token))
      const text = await runCommand({ folder }, 'token')
      expect(text.stdout).toMatch(/^token {3}[\w-]{43}\nsha256 {2}[\da-f]{64}\n$/)
    }))

  it('adds tokens to a file of mode 0600, which has digests only, and lists them', () =>
    withFolder(async (folder) => {
      const run = (...words: string[]) => runCommand({ folder }, 'token', ...tokens, ...words)
      const added = await run('--add', 'ci', '--vault', `${vaultId}=read`, '--expires', '90d')
      expect(added.stdout).toMatch(/^[\w-]{43}\n$/)
      const env = { COFFERKIT_TOKENS_FILE: 'tokens.json' }
      const other = await runCommand(
        { folder, env },
        'token',
        '--add',
        'ops',
        '--vault',
        '*',
        '--json',
      )
      expect(JSON.parse(other.stdout)).toMatchObject({ id: 'ops', vaults: '*' })
      const path = join(folder, 'tokens.json')
      expect(statSync(path).mode & 0o777).toBe(0o600)
      const file = JSON.parse(readFileSync(path, 'utf8'))
      expect(file.tokens).toEqual([
        {
          id: 'ci',
          sha256: digestOf(added.stdout.trim()),
          vaults: { [vaultId]: 'read' },
          expiresAt: expect.any(String),
        },
        { id: 'ops', sha256: digestOf(JSON.parse(other.stdout).token), vaults: '*' },
      ])
      const days = (Date.parse(file.tokens[0].expiresAt) - Date.now()) / 86_400_000
      expect(Math.round(days)).toBe(90)
      const listed = await run('--list')
      expect(listed.stdout).toBe(
        `ci (${vaultId}=read, expires ${file.tokens[0].expiresAt})\nops (*, never expires)\n`,
      )
    }))

  it('revokes by id, or by a token that leaked, also through a symbolic link', () =>
    withFolder(async (folder) => {
      const run = (...words: string[]) => runCommand({ folder }, 'token', ...words)
      const { stdout: leaked } = await run(...tokens, '--add', 'leaky', '--vault', '*')
      await run(...tokens, '--add', 'ops', '--vault', '*')
      symlinkSync('tokens.json', join(folder, 'link.json'))
      const words = ['token', '--tokens', 'link.json', '--revoke', '-']
      const revoked = await runCommand({ folder, input: leaked }, ...words)
      expect(revoked).toEqual({
        code: 0,
        stdout: 'Revoked leaky (*, never expires).\n',
        stderr: 'What it did: npx cofferkit activity --caller leaky --limit all\n',
      })
      expect(await run(...tokens, '--revoke', 'ops')).toMatchObject({ code: 0 })
      expect(readFileSync(join(folder, 'tokens.json'), 'utf8')).toBe('{\n  "tokens": []\n}\n')
      expect(existsSync(join(folder, 'tokens.json.new'))).toBe(false)
      const again = await runCommand({ folder, input: leaked }, ...words)
      expect(again).toMatchObject({ code: 2, stdout: '' })
      expect(again.stderr).toMatch(/^error: link\.json does not have this token\n/)
    }))

  it.each<[string[], string]>([
    [['--add', 'ci'], '--add needs a permission'],
    [['--add', '-', '--vault', '*'], '--add: must be 1 to 100 letters'],
    [['--add', 'ops', '--vault', '*'], 'tokens.json already has a token with this id'],
    [['--add', 'ci', '--vault', 's3cret'], '--vault: must be * or a vault id with a permission'],
    [['--add', 'ci', '--vault', `${vaultId}=use`], '--vault: must be * or a vault id'],
    [['--add', 'ci', '--vault', '*', '--expires', '1y'], '--expires: must be a time such as'],
    [['--add', 'ci', '--vault', '*', '--expires', '2020-01-01T00:00:00Z'], '--expires must be in'],
    [['--revoke', 'none'], 'tokens.json has no token with this id'],
    [['--revoke', 'ops', '--list'], 'pass one of --add, --revoke and --list'],
    [['--revoke', 'ops', '--vault', '*'], '--vault and --expires are for --add'],
    [[], 'pass one of --add, --revoke and --list'],
  ])('rejects %j and changes nothing', (flags, message) =>
    withFolder(async (folder) => {
      const entry = { id: 'ops', sha256: 'ab'.repeat(32), vaults: '*' }
      const text = JSON.stringify({ tokens: [entry] })
      writeFileSync(join(folder, 'tokens.json'), text, { mode: 0o600 })
      const { code, stdout, stderr } = await runCommand({ folder }, 'token', ...tokens, ...flags)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr.startsWith(`error: ${message}`), stderr).toBe(true)
      expect(stderr).not.toContain('s3cret')
      expect(readFileSync(join(folder, 'tokens.json'), 'utf8')).toBe(text)
      expect(existsSync(join(folder, 'tokens.json.new'))).toBe(false)
    }),
  )

  it('leaves a file alone that another command changes', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'tokens.json.new'), '')
      const words = ['token', ...tokens, '--add', 'ci', '--vault', '*']
      expect(await runCommand({ folder }, ...words)).toEqual({
        code: 2,
        stdout: '',
        stderr:
          'error: tokens.json is being changed by another command\n' +
          'If none runs, delete tokens.json.new, which one that was killed has left behind.\n',
      })
    }))
})
