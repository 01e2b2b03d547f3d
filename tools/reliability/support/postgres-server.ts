/** A PostgreSQL server on loopback, in a folder of its own, which can be killed and restarted. */

import type { ChildProcess } from 'node:child_process'
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { postgresFolder, postgresUser, postgresVersion } from './postgres-binaries.js'
import { endProcess, freePort, runProgram, startServer } from './server-process.js'

/** A server that is running or was killed. */
export interface PostgresServer {
  /**
   * URL of a superuser without a password: `postgres://postgres@127.0.0.1:{port}/postgres`. It is
   * the same after a restart.
   */
  readonly url: string
  readonly dataFolder: string
  /**
   * Kills the postmaster and all its children with SIGKILL, and resolves when all have ended. Linux
   * only.
   */
  kill(): Promise<void>
  /** Restarts it after a kill, and resolves when it has recovered and accepts connections. */
  restart(): Promise<void>
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

/** Configuration parameters of the server, such as `{ synchronous_commit: 'off' }`. */
export type PostgresSettings = Readonly<Record<string, string>>

/**
 * Starts an empty server with PostgreSQL's defaults, including `fsync` and `synchronous_commit`.
 * From version 15 on, texts are sorted as in English, so that a query must request the order of
 * bytes explicitly. The server ends with this process.
 * @throws Error if PostgreSQL is not installed or does not start.
 */
export async function startPostgres(settings: PostgresSettings = {}): Promise<PostgresServer> {
  const programs = postgresFolder()
  if (programs === undefined) throw new Error('PostgreSQL is not installed')
  const user = postgresUser()
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-postgres-'))
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid ?? user.uid)
  const options = { ...user, cwd: folder, env: { ...process.env, LC_ALL: 'C' } }
  const dataFolder = join(folder, 'data')
  await runProgram(join(programs, 'initdb'), initdbParameters(dataFolder, programs), options)
  const port = await freePort()
  const defaults = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    // Recovery then does not open every file to sync it, which takes longer than anything else.
    ...(postgresVersion(programs) >= 14 && { recovery_init_sync_method: 'syncfs' }),
  }
  const parameters = ['-D', dataFolder, '-p', String(port)]
  parameters.push(...settingParameters({ ...defaults, ...settings }))
  const start = (): Promise<ChildProcess> =>
    startServer(join(programs, 'postgres'), parameters, options, 'ready to accept connections')
  let postmaster = await start()
  const endWithProcess = (): void => {
    postmaster.kill('SIGQUIT')
    // Promises cannot be awaited here, so the server gets 300 ms to end.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', endWithProcess)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    dataFolder,
    kill: () => killAll(postmaster),
    restart: async () => {
      postmaster = await start()
    },
    stop: async () => {
      process.off('exit', endWithProcess)
      await endProcess(postmaster, 'SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Calls `work` with the URL of a server: the one in `DATABASE_URL`, else one that is started with
 * `settings` for this call and stopped afterwards.
 * @throws Error if `DATABASE_URL` is not set and PostgreSQL is not installed.
 */
export async function withPostgres<Result>(
  work: (url: string) => Promise<Result>,
  settings: PostgresSettings = {},
): Promise<Result> {
  const given = process.env['DATABASE_URL']
  if (given !== undefined) return work(given)
  const server = await startPostgres(settings)
  try {
    return await work(server.url)
  } finally {
    await server.stop()
  }
}

function initdbParameters(dataFolder: string, programs: string): string[] {
  const english = ['--locale-provider=icu', '--icu-locale=en-US']
  return [
    ...['-D', dataFolder, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-sync'],
    ...(postgresVersion(programs) >= 15 ? english : []),
  ]
}

function settingParameters(settings: PostgresSettings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function killAll(postmaster: ChildProcess): Promise<void> {
  const { pid } = postmaster
  if (pid === undefined || postmaster.exitCode !== null) return
  await killTree(pid)
  await endProcess(postmaster, 'SIGKILL')
}

/** Kills a process and its descendants with SIGKILL, and resolves when all have ended. Linux only. */
async function killTree(pid: number): Promise<void> {
  for (const each of signalTree(pid)) while (isAlive(each)) await pause(5)
}

/** Kills a process and its descendants with SIGKILL. Returns their ids. */
function signalTree(pid: number): readonly number[] {
  // A process that is stopped starts no more children.
  sendSignal(pid, 'SIGSTOP')
  const children = readProcess(pid, `task/${pid}/children`).split(' ').filter(Boolean)
  const pids = [...children.map(Number).flatMap(signalTree), pid]
  sendSignal(pid, 'SIGKILL')
  return pids
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}

/** True if the process still holds resources, which a zombie does not. */
function isAlive(pid: number): boolean {
  return /\) [^ZX] /.test(readProcess(pid, 'stat'))
}

/** Reads a file of a process (proc(5)). Empty if the process does not exist. */
function readProcess(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}
