import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseMetrics } from '../../support/http/prometheus.js'
import { databaseSeed } from '../support/command/database-seed.js'
import { runCommand, startServe, withFolder } from '../support/command/run-command.js'

describe('serve in operation', () => {
  it('takes host, token and the size of inlined files from the environment and from files', () =>
    withFolder(async (folder) => {
      const token = 'a-token-of-a-container-secret'
      writeFileSync(join(folder, 'secret'), `${token}\n`)
      writeFileSync(join(folder, 'store'), 'memory\n')
      const content = 'x'.repeat(1025)
      const seed = databaseSeed('s3cret-value', [{ name: 'large.bin', content }])
      writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed))
      const env = {
        COFFERKIT_TOKEN: '',
        COFFERKIT_TOKEN_FILE: 'secret',
        COFFERKIT_STORE_FILE: 'store',
        COFFERKIT_HOST: '::1',
        MAX_INLINE_FILE_SIZE_KB: '1',
      }
      const served = await startServe({ folder, env }, '--seed', 'seed.json')
      const { origin, vaults, store } = served.state
      expect(origin).toMatch(/^http:\/\/\[::1\]:\d+$/)
      expect(store).toMatch(/^memory/)
      const get = (path: string) =>
        fetch(origin + path, { headers: { authorization: `Bearer ${token}` } })
      const items = `/v1/vaults/${vaults[0]?.id}/items`
      const [item] = (await (await get(items)).json()) as readonly { readonly id: string }[]
      const files = `${items}/${item?.id}/files`
      const [file] = (await (await get(files)).json()) as readonly { readonly id: string }[]
      expect((await get(`${files}/${file?.id}?inline_files=true`)).status).toBe(413)
      expect((await served.stop()).code).toBe(0)
    }))

  it('serves metrics of the process, the build and the keys, with a token of their own', () =>
    withFolder(async (folder) => {
      const env = { COFFERKIT_METRICS_TOKEN: 'metrics-token' }
      await runCommand({ folder }, 'keygen', 'a.key')
      const served = await startServe({ folder, env }, '--store', 'memory', '--encrypt', 'a.key')
      const url = `${served.state.origin}/metrics`
      expect((await fetch(url)).status).toBe(401)
      expect((await served.request('/metrics')).status).toBe(401)
      const headers = { authorization: 'Bearer metrics-token' }
      const families = parseMetrics(await (await fetch(url, { headers })).text())
      expect(families['cofferkit_build_info']?.samples[0]?.labels).toEqual({
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        node: process.versions.node,
        store: 'memory',
      })
      const valueOf = (name: string) => families[name]?.samples[0]?.value
      expect(valueOf('cofferkit_requests_in_flight')).toBe(1)
      expect(valueOf('cofferkit_tokens')).toBe(1)
      expect(families['cofferkit_key_calls_total']?.samples[0]?.labels).toEqual({
        call: 'wrap',
        result: 'ok',
      })
      expect(valueOf('cofferkit_key_calls_total')).toBeGreaterThanOrEqual(1)
      expect(valueOf('cofferkit_connections')).toBeGreaterThanOrEqual(1)
      expect(valueOf('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
      expect(valueOf('process_cpu_seconds_total')).toBeGreaterThan(0)
      expect(valueOf('nodejs_eventloop_lag_max_seconds')).toBeGreaterThanOrEqual(0)
      await served.stop()
    }))

  it('answers 429 beyond the limit of a caller, and records the address behind a proxy', () =>
    withFolder(async (folder) => {
      const flags = ['--rate-limit', '2', '--trusted-proxy', '127.0.0.1,10.0.0.0/8']
      const served = await startServe({ folder }, '--store', 'memory', ...flags)
      const headers = { 'x-forwarded-for': '192.0.2.9, 192.0.2.7, 10.1.2.3' }
      const statuses: number[] = []
      for (let count = 0; count < 3; count++)
        statuses.push((await served.request('/v1/vaults', { headers })).status)
      expect(statuses).toEqual([200, 200, 429])
      const limited = await served.request('/v1/vaults', { headers })
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      const { stdout } = await served.stop()
      expect(stdout).toContain('"address":"192.0.2.7"')
      expect(stdout).not.toContain('192.0.2.9')
    }))

  it('closes connections beyond the limit', () =>
    withFolder(async (folder) => {
      const flags = ['--store', 'memory', '--max-connections', '1']
      const served = await startServe({ folder }, ...flags)
      const { hostname, port } = new URL(served.state.origin)
      const open = () => {
        const socket = connect(Number(port), hostname).on('error', () => {})
        return socket
      }
      const first = open()
      first.write('GET /heartbeat HTTP/1.1\r\nhost: a\r\n\r\n')
      await new Promise((resolve) => first.once('data', resolve))
      await new Promise((resolve) => open().once('close', resolve))
      first.destroy()
      await served.stop()
    }))

  it('is not ready before it closes', () =>
    withFolder(async (folder) => {
      const flags = ['--store', 'memory', '--shutdown-delay', '60']
      const served = await startServe({ folder }, ...flags)
      expect((await served.request('/health')).status).toBe(200)
      const stopped = served.stop()
      let health = 200
      while (health === 200) health = (await served.request('/health')).status
      expect(health).toBe(503)
      expect((await served.request('/v1/vaults')).status).toBe(200)
      // A second signal ends it at once.
      served.stop('SIGINT')
      const { code, stderr } = await stopped
      expect({ code, stderr }).toEqual({ code: null, stderr: '' })
    }))
})
