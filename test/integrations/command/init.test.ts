import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { frameworkPackages } from '../../../src/command/init.js'
import { freePort } from '../../../tools/reliability/support/server-process.js'
import { startCommand, withFolder } from '../support/command/run-command.js'
import { bundleFlags } from '../support/source/bundle.js'

const root = join(import.meta.dirname, '../../..')

describe('init', () => {
  it.each(Object.keys(frameworkPackages))('writes a service for %s that runs', (framework) =>
    withFolder(async (folder) => {
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
      const written = await startCommand({ folder }, 'init', framework)
      expect(written).toMatchObject({ code: 0, stderr: '' })
      const [, token = ''] = /TOKEN=(\S+) node vault\.mjs/.exec(written.stdout) ?? []
      const port = await freePort()
      const child = spawn(process.execPath, [...bundleFlags, 'vault.mjs'], {
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
      const exported = await startCommand({ folder }, 'export')
      expect(exported.stderr).toMatch(/^Exported 1 vault, 0 items/m)
    }),
  )

  it('uses a configuration that exists', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'cofferkit.config.js'), 'mine')
      mkdirSync(join(folder, 'src'))
      const { stdout } = await startCommand({ folder }, 'init', 'node', '--out', 'src/vault.mjs')
      expect(stdout).toMatch(
        /^src\/vault\.mjs was written: a vault for node, whose store is in cofferkit/,
      )
      const service = readFileSync(join(folder, 'src/vault.mjs'), 'utf8')
      expect(service).toContain("import config from '../cofferkit.config.js'")
      expect(existsSync(join(folder, 'cofferkit.config.mjs'))).toBe(false)
    }))

  it('finds the framework in package.json, and lists what is not installed', () =>
    withFolder(async (folder) => {
      const dependencies = { cofferkit: '*', fastify: '*' }
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }))
      const { stdout } = await startCommand({ folder }, 'init')
      expect(stdout).toMatch(/^vault\.mjs was written: a vault for fastify/)
      expect(stdout).not.toContain('npm install')
      const hono = await startCommand({ folder }, 'init', 'hono', '--out', 'h.mjs')
      expect(hono.stdout).toContain('npm install hono @hono/node-server\n')
    }))

  it('never overwrites a file, and rejects other names', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'vault.mjs'), 'mine')
      for (const parameters of [[], ['koa'], ['__proto__'], ['node', '--out', 'a.txt']])
        expect((await startCommand({ folder }, 'init', ...parameters)).code).toBe(2)
      expect(readFileSync(join(folder, 'vault.mjs'), 'utf8')).toBe('mine')
    }))
})
