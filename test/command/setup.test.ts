import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../reliability/support/server-process.js'
import { frameworkPackages } from '../../src/command/setup/templates.js'
import { runCommand, withFolder } from '../support/command/run-command.js'

const root = join(import.meta.dirname, '../..')

describe('cofferkit', { timeout: 60_000 }, () => {
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

describe('token', { timeout: 60_000 }, () => {
  it('prints a token and its SHA-256', () =>
    withFolder(async (folder) => {
      const { stdout } = await runCommand({ folder }, 'token', '--json')
      const { token, sha256 } = JSON.parse(stdout)
      expect(sha256).toBe(createHash('sha256').update(token).digest('hex'))
      const text = await runCommand({ folder }, 'token')
      expect(text.stdout).toMatch(/^token {3}[\w-]{43}\nsha256 {2}[\da-f]{64}\n$/)
    }))
})

describe('keygen', { timeout: 60_000 }, () => {
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

describe('init', { timeout: 60_000 }, () => {
  it.each(Object.keys(frameworkPackages))('writes a service for %s that runs', (framework) =>
    withFolder(async (folder) => {
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
      const written = await runCommand({ folder }, 'init', framework)
      expect(written).toMatchObject({ code: 0, stderr: '' })
      const [, token = ''] = /TOKEN=(\S+) node vault\.mjs/.exec(written.stdout) ?? []
      const port = await freePort()
      const register = pathToFileURL(join(root, 'scripts/register-sources.ts')).href
      const child = spawn(process.execPath, ['--import', register, 'vault.mjs'], {
        cwd: folder,
        env: { ...process.env, TOKEN: token, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = new Promise((resolve) => child.on('close', resolve))
      const line = await new Promise<string>((resolve) => child.stdout.once('data', resolve))
      const origin = `http://127.0.0.1:${port}`
      const headers = { authorization: `Bearer ${token}`, connection: 'close' }
      const vaults = await (await fetch(`${origin}/v1/vaults`, { headers })).json()
      expect(vaults).toMatchObject([{ name: 'Default' }])
      expect((await fetch(String(line).trim(), { headers })).status).toBe(200)
      child.kill('SIGTERM')
      expect(await ended).toBe(0)
    }),
  )

  it('finds the framework in package.json, and lists what is not installed', () =>
    withFolder(async (folder) => {
      const dependencies = { cofferkit: '*', fastify: '*' }
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }))
      const { stdout } = await runCommand({ folder }, 'init')
      expect(stdout).toMatch(/^vault\.mjs was written: a vault for fastify/)
      expect(stdout).not.toContain('npm install')
      const hono = await runCommand({ folder }, 'init', 'hono', '--out', 'h.mjs')
      expect(hono.stdout).toContain('npm install hono @hono/node-server\n')
    }))

  it('never overwrites a file, and rejects other names', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'vault.mjs'), 'mine')
      for (const parameters of [[], ['koa'], ['__proto__'], ['node', '--out', 'a.txt']])
        expect((await runCommand({ folder }, 'init', ...parameters)).code).toBe(2)
      expect(readFileSync(join(folder, 'vault.mjs'), 'utf8')).toBe('mine')
    }))
})

describe('completion', { timeout: 60_000 }, () => {
  const register = pathToFileURL(join(root, 'scripts/register-sources.ts')).href
  const file = join(root, 'src/command.ts')
  const program = `#!/bin/sh\nexec '${process.execPath}' --import '${register}' '${file}' "$@"\n`

  it('completes commands and flags in bash', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'cofferkit'), program)
      chmodSync(join(folder, 'cofferkit'), 0o755)
      const script = `source <(cofferkit completion bash)
        COMP_WORDS=(cofferkit re); COMP_CWORD=1; _cofferkit; echo "\${COMPREPLY[*]}"
        COMP_WORDS=(cofferkit serve --st); COMP_CWORD=2; _cofferkit; echo "\${COMPREPLY[*]}"
        COMP_WORDS=(cofferkit serve --dialect ''); COMP_CWORD=3; _cofferkit; echo "\${COMPREPLY[*]}"
        complete -p cofferkit`
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
      const { stdout } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' })
      expect(stdout.split('\n').slice(0, 4)).toEqual([
        'read reencrypt',
        '--store',
        'connect contract',
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
