/** A PostgreSQL server of a cluster, and the Patroni that controls it. */

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { postgresUser } from '../support/postgres-binaries.js'
import { childrenOf, commandOf, isAlive, sendSignal, signalTree } from '../support/process-tree.js'
import { freePort } from '../support/server-process.js'

/** A member that is running or was killed. */
export interface Member {
  readonly name: string
  /** The base URL of Patroni's REST API. */
  readonly patroni: string
  /** URL of a superuser without a password. */
  readonly url: string
  /** Starts Patroni, which starts PostgreSQL. Resolves before either is ready. */
  start(): void
  /**
   * Kills Patroni, the postmaster and all its children with SIGKILL. Resolves when all have ended,
   * with true if both were running.
   */
  kill(): Promise<boolean>
  /** The same without waiting for their end. Returns the ids of the processes. */
  signalAll(): readonly number[]
  /** Stops the reception of the log (SIGSTOP). Returns a function that ends the receiver. */
  pauseReceiver(): () => void
  /** Resolves with true if Patroni reports this role. */
  has(role: 'primary' | 'synchronous'): Promise<boolean>
}

/** The settings of a cluster that the members share. */
export interface ClusterSettings {
  /** Where each member has its data, its configuration and its log. */
  readonly folder: string
  readonly etcd: string
  /** The folder of PostgreSQL's programs. */
  readonly programs: string
  readonly isSynchronous: boolean
  /** After how many seconds an expired leader lock can be taken by another member. */
  readonly ttlSeconds: number
}

/** Creates a member that is not started. */
export async function createMember(name: string, settings: ClusterSettings): Promise<Member> {
  const ports = { postgres: await freePort(), patroni: await freePort() }
  const data = join(settings.folder, name)
  const configuration = join(settings.folder, `${name}.json`)
  writeFileSync(configuration, JSON.stringify(configure(name, data, ports, settings)))
  const patroni = `http://127.0.0.1:${ports.patroni}`
  let controller: ChildProcess | undefined
  const postmaster = (): number | undefined => {
    const file = join(data, 'postmaster.pid')
    const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
    // The file outlives a kill, and its id can then belong to another process.
    return commandOf(pid).includes(data) ? pid : undefined
  }
  const signalAll = (): readonly number[] => {
    // Patroni first, so that it does not notice the end of its server.
    const pids = controller?.pid === undefined ? [] : signalTree(controller.pid)
    const pid = postmaster()
    return pid === undefined ? pids : [...pids, ...signalTree(pid)]
  }
  return {
    name,
    patroni,
    url: `postgres://postgres@127.0.0.1:${ports.postgres}/postgres`,
    start() {
      const log = openSync(join(settings.folder, `${name}.log`), 'a')
      controller = spawn('patroni', [configuration], {
        ...postgresUser(),
        cwd: settings.folder,
        env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' },
        stdio: ['ignore', log, log],
      })
      closeSync(log)
    },
    signalAll,
    async kill() {
      const isRunning = postmaster() !== undefined && controller?.exitCode === null
      for (const pid of signalAll()) while (isAlive(pid)) await pause(5)
      return isRunning
    },
    pauseReceiver() {
      const receivers = childrenOf(postmaster() ?? 0).filter(isReceiver)
      if (receivers.length === 0) throw new Error(`${name} does not receive the log`)
      for (const pid of receivers) sendSignal(pid, 'SIGSTOP')
      return () => {
        // It ends before it reads what is left in its socket.
        for (const pid of receivers) {
          sendSignal(pid, 'SIGTERM')
          sendSignal(pid, 'SIGCONT')
        }
      }
    },
    has: (role) =>
      fetch(`${patroni}/${role}`, { signal: AbortSignal.timeout(2_000) }).then(
        async ({ status, body }) => {
          await body?.cancel()
          return status === 200
        },
        () => false,
      ),
  }
}

function isReceiver(pid: number): boolean {
  return commandOf(pid).includes('walreceiver')
}

/** Returns Patroni's configuration. It is read as YAML, of which JSON is a part. */
function configure(
  name: string,
  data: string,
  ports: { readonly postgres: number; readonly patroni: number },
  { folder, etcd, programs, isSynchronous, ttlSeconds }: ClusterSettings,
): object {
  const address = `127.0.0.1:${ports.postgres}`
  const patroni = `127.0.0.1:${ports.patroni}`
  return {
    scope: 'cofferkit',
    name,
    restapi: { listen: patroni, connect_address: patroni },
    etcd3: { host: etcd },
    bootstrap: {
      dcs: {
        ttl: ttlSeconds,
        loop_wait: 1,
        retry_timeout: Math.floor((ttlSeconds - 1) / 2),
        synchronous_mode: isSynchronous,
        synchronous_mode_strict: isSynchronous,
        postgresql: {
          use_pg_rewind: true,
          parameters: { synchronous_commit: 'on', shared_buffers: '16MB', max_connections: 50 },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, { auth: 'trust' }],
      pg_hba: ['local all all trust', 'host all all all trust', 'host replication all all trust'],
    },
    postgresql: {
      listen: address,
      connect_address: address,
      data_dir: data,
      bin_dir: programs,
      pgpass: join(folder, `${name}.pgpass`),
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
      },
      parameters: { unix_socket_directories: folder },
    },
  }
}
