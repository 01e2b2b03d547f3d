import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { etcdProgram, startEtcd } from '../../../tools/reliability/support/etcd-server.js'
import { hasMysql, startMysql } from '../../../tools/reliability/support/mysql-server.js'
import { postgresFolder } from '../../../tools/reliability/support/postgres-binaries.js'
import { startPostgres } from '../../../tools/reliability/support/postgres-server.js'
import { parseMetrics } from '../../support/http/prometheus.js'
import { runCommand, startServe, withFolder } from '../support/command/run-command.js'

const root = join(import.meta.dirname, '../../..')

/** A server, the setting that makes it lose writes, and the one in the output of `doctor`. */
const servers = [
  {
    name: 'postgres',
    isInstalled: postgresFolder() !== undefined,
    start: () => startPostgres({ synchronous_commit: 'off' }),
    weak: 'synchronous_commit=off',
    pool: [
      'cofferkit_pool_connections idle',
      'cofferkit_pool_connections used',
      'cofferkit_pool_waiting',
    ],
  },
  {
    name: 'mysql',
    isInstalled: hasMysql(),
    start: () => startMysql({ innodb_flush_log_at_trx_commit: '0' }),
    weak: 'innodb_flush_log_at_trx_commit=0',
    // The driver does not tell the state of its pool.
    pool: [],
  },
].filter(({ isInstalled }) => isInstalled)

/** Returns the names of the metrics of the database pool, with the states of its connections. */
function listPoolMetrics(text: string): readonly string[] {
  return Object.entries(parseMetrics(text))
    .filter(([name]) => name.startsWith('cofferkit_pool_'))
    .flatMap(([name, { samples }]) =>
      samples.map(({ labels, value }) => {
        expect(value).toBeGreaterThanOrEqual(0)
        return [name, labels['state']].filter(Boolean).join(' ')
      }),
    )
}

describe.each(servers)('serve on $name', { timeout: 120_000 }, ({ name, start, weak, pool }) => {
  it('creates its tables, keeps its items, shows its pool, and doctor finds a setting that loses writes', async () => {
    const server = await start()
    try {
      await withFolder(async (folder) => {
        symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
        const flags = ['--store', server.url]
        expect((await runCommand({ folder }, 'doctor', ...flags)).code).toBe(2)
        const login = { username: 'wendy', password: 's3cret' }
        const passwords = { encrypted: false, items: [{ id: 'a', type: 1, name: 'Mail', login }] }
        writeFileSync(join(folder, 'in.json'), JSON.stringify(passwords))
        const importFlags = ['import', '--from', 'auto', '--dry-run', 'in.json', ...flags]
        const dryRun = await runCommand({ folder }, ...importFlags)
        expect(dryRun.stdout).toContain('Would create 1 item and 0 files in ')
        expect((await runCommand({ folder }, 'doctor', ...flags)).stdout).toMatch(/tables do not/)
        const served = await startServe({ folder, env: { COFFERKIT_STORE: server.url } })
        expect(served.state.store).not.toContain('@')
        const [vault] = served.state.vaults
        expect(await served.stop()).toMatchObject({ code: 0, stderr: '' })
        writeFileSync(join(folder, 'seed.json'), '{"vaults":[{"name":"More"}]}')
        expect((await runCommand({ folder }, 'seed', 'seed.json', ...flags)).code).toBe(0)
        const env = { COFFERKIT_METRICS_TOKEN: 'metrics-token' }
        const again = await startServe({ folder, env }, ...flags, '--seed', 'seed.json')
        expect(again.state.vaults.map((one) => one.id)).toContain(vault?.id)
        const headers = { authorization: 'Bearer metrics-token' }
        const metrics = await fetch(`${again.state.origin}/metrics`, { headers })
        expect(listPoolMetrics(await metrics.text())).toEqual(pool)
        await again.stop()
        expect((await runCommand({ folder }, 'migrate', ...flags)).code).toBe(0)
        const checked = await runCommand({ folder }, 'doctor', ...flags)
        expect(checked).toMatchObject({ code: 2, stderr: 'error: failed: durability\n' })
        expect(checked.stdout).toContain(weak)
        expect(checked.stdout).toMatch(/^ok {6}clock/m)
        await server.kill()
        const dead = await runCommand({ folder }, 'serve', '--port', '0', ...flags)
        expect(dead).toMatchObject({ code: 2, stdout: '' })
        expect(dead.stderr).toMatch(/^error: /)
        expect(dead.stderr).not.toMatch(/^ +at /m)
      })
    } finally {
      await server.stop()
    }
  })

  it('is a store whose URL can have its name in front', () =>
    withFolder(async (folder) => {
      const store = `${name}:${name}://127.0.0.1:9/x`
      const { code, stderr } = await runCommand({ folder }, 'gc', '--store', store)
      expect(code).toBe(2)
      expect(stderr).toMatch(/^error: this store needs the package/)
    }))
})

describe.skipIf(etcdProgram() === undefined)('serve on etcd', { timeout: 120_000 }, () => {
  it('keeps its items', async () => {
    const server = await startEtcd()
    try {
      await withFolder(async (folder) => {
        const flags = ['--store', `etcd:${server.endpoint}`]
        const served = await startServe({ folder }, ...flags)
        await served.stop()
        const again = await startServe({ folder }, ...flags)
        expect(again.state.vaults).toEqual(served.state.vaults)
        expect((await again.stop()).code).toBe(0)
      })
    } finally {
      await server.stop()
    }
  })
})
