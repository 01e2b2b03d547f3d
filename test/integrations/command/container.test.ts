import { spawn } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../../../tools/reliability/support/server-process.js'
import { readPage } from '../../support/source/pages.js'
import { commandText } from '../support/command/run-command.js'

const [, section = ''] = readPage('docs/command.md').split('\n## In a container\n')
const [, text = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(section) ?? []
const { services, secrets, volumes } = parse(text)
const { vault } = services

describe('the service in "In a container"', () => {
  it('refers only to what the file declares', () => {
    expect(vault.secrets).toEqual(Object.keys(secrets))
    const mounts = vault.volumes.map((volume: string) => volume.split(':')[0])
    expect(mounts.filter((name: string) => name !== '.')).toEqual(Object.keys(volumes))
    expect(vault.command.at(-1)).toContain(`/run/secrets/${vault.secrets[0]}`)
    expect(vault.command.at(-1)).toContain(vault.environment.COFFERKIT_KEY_FILE)
    expect(vault.ports).toEqual(['127.0.0.1:8080:8080'])
  })

  it('serves an encrypted store with a secret of mode 0444, is healthy, and stops on SIGTERM', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cofferkit-container-'))
    let stopServer = (): void => {}
    const port = await freePort()
    const at = (line: string): string =>
      line
        .replaceAll(/\/(?=run\/secrets\/|tmp\/|data\/)/g, `${folder}/`)
        .replaceAll('8080', String(port))
        .replace(' serve ', ` serve --port ${port} `)
    try {
      for (const name of ['run/secrets', 'tmp', 'data', 'node_modules/.bin'])
        mkdirSync(join(folder, name), { recursive: true })
      writeFileSync(join(folder, 'run/secrets/cofferkit_key'), 'ab'.repeat(32), { mode: 0o444 })
      const program = join(folder, 'node_modules/.bin/cofferkit')
      writeFileSync(program, `#!/bin/sh\nexec ${commandText()} "$@"\n`)
      chmodSync(program, 0o755)
      const [command, ...parameters] = vault.command.map(at)
      const keyFile = at(vault.environment.COFFERKIT_KEY_FILE)
      const token = 'a-token-of-20-characters'
      const child = spawn(command, parameters, {
        cwd: folder,
        env: { ...process.env, COFFERKIT_TOKEN: token, COFFERKIT_KEY_FILE: keyFile },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      stopServer = () => void child.kill('SIGKILL')
      const ended = new Promise((resolve) => child.on('close', resolve))
      const unhealthy = await checkHealth(at)
      let output = ''
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (chunk) => {
          output += chunk
          if (output.includes('Ctrl+C stops it.')) resolve()
        })
        child.on('close', () => resolve())
      })
      expect(output).toContain(`Address  http://127.0.0.1:${port}, on other machines`)
      expect(output).toMatch(/Store {4}SQLite file \S+vault\.db, encrypted with/)
      expect(statSync(keyFile).mode & 0o777).toBe(0o400)
      expect([unhealthy, await checkHealth(at)]).toEqual([1, 0])
      const headers = { authorization: `Bearer ${token}`, connection: 'close' }
      expect((await fetch(`http://127.0.0.1:${port}/v1/vaults`, { headers })).status).toBe(200)
      child.kill('SIGTERM')
      expect(await ended).toBe(0)
      expect(readFileSync(join(folder, 'data/vault.db')).includes('Default')).toBe(false)
    } finally {
      stopServer()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

/** Runs the command of the health check, and returns its exit code. */
async function checkHealth(at: (line: string) => string): Promise<number | null> {
  const [kind, , ...parameters] = vault.healthcheck.test.map(at)
  expect(kind).toBe('CMD')
  const child = spawn(process.execPath, parameters, { stdio: 'ignore' })
  return new Promise((resolve) => child.on('close', resolve))
}
