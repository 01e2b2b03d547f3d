/** An etcd server on loopback, in a folder of its own, which can be killed and restarted. */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { endProcess, freePort } from './server-process.js'

/** A server that is running or was killed. */
export interface EtcdServer {
  /** The origin of its gateway, the same after a restart. */
  readonly endpoint: string
  /** Kills it with SIGKILL, and resolves when it has ended. */
  kill(): Promise<void>
  /** Restarts it after a kill, and resolves when it answers. */
  restart(): Promise<void>
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

/** The path of `etcd` on PATH; undefined if it is not installed. */
export function etcdProgram(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, 'etcd')).find((path) => existsSync(path))
}

/**
 * Starts an empty cluster of one member. `flags` are added to its command line: `https` needs those
 * of its certificate. The server ends with this process.
 * @throws Error if etcd is not installed or does not start.
 */
export async function startEtcd(
  flags: readonly string[] = [],
  protocol: 'http' | 'https' = 'http',
): Promise<EtcdServer> {
  const program = etcdProgram()
  if (program === undefined) throw new Error('etcd is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-etcd-'))
  const endpoint = `${protocol}://127.0.0.1:${await freePort()}`
  const metrics = `http://127.0.0.1:${await freePort()}`
  const peer = `http://127.0.0.1:${await freePort()}`
  const parameters = [
    ...['--name', 'one', '--data-dir', join(folder, 'data'), '--logger', 'zap'],
    ...['--listen-client-urls', endpoint, '--advertise-client-urls', endpoint],
    ...['--listen-metrics-urls', metrics],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ...['--initial-cluster', `one=${peer}`, '--log-level', 'error', ...flags],
  ]
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(program, parameters, { stdio: 'ignore' })
    await answers(metrics, child)
    return child
  }
  let server = await start()
  const endWithProcess = (): void => {
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', endWithProcess)
  return {
    endpoint,
    kill: () => endProcess(server, 'SIGKILL'),
    async restart() {
      server = await start()
    },
    async stop() {
      process.off('exit', endWithProcess)
      await endProcess(server, 'SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Resolves when the member with these metrics has a leader. @throws Error if its process ends. */
async function answers(metrics: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`etcd ended with ${child.exitCode}`)
    const isHealthy = await fetch(`${metrics}/health`, { signal: AbortSignal.timeout(1000) }).then(
      async (response) => (await response.text()).includes('"true"'),
      () => false,
    )
    if (isHealthy) return
    await pause(50)
  }
}
