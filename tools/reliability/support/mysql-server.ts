/** A MariaDB server on loopback, in a folder of its own, which can be killed and restarted. */

import type { ChildProcess } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { endProcess, freePort, runProgram, startServer, systemUser } from './server-process.js'

/** A server that is running or was killed. */
export interface MysqlServer {
  /**
   * URL of an administrator without a password: `mysql://root@127.0.0.1:{port}/vault`. It is the
   * same after a restart.
   */
  readonly url: string
  /** Kills the server with SIGKILL, and resolves when it has ended. */
  kill(): Promise<void>
  /** Restarts it after a kill, and resolves when it has recovered and accepts connections. */
  restart(): Promise<void>
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

/** Variables of the server, such as `{ innodb_flush_log_at_trx_commit: '0' }`. */
export type MysqlSettings = Readonly<Record<string, string>>

/** True if `MYSQL_URL` is set, or MariaDB's programs are installed. */
export function hasMysql(): boolean {
  return process.env['MYSQL_URL'] !== undefined || findProgram('mariadbd') !== undefined
}

/**
 * Starts an empty server with MariaDB's defaults, except that it accepts more connections, with an
 * empty database `vault`. The server ends with this process.
 * @throws Error if MariaDB is not installed or does not start.
 */
export async function startMysql(settings: MysqlSettings = {}): Promise<MysqlServer> {
  const programs = [findProgram('mariadbd'), findProgram('mariadb-install-db')]
  const [server, install] = programs
  if (server === undefined || install === undefined) throw new Error('MariaDB is not installed')
  const user = process.getuid?.() === 0 ? systemUser('mysql') : undefined
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-mysql-'))
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const options = { ...user, cwd: folder }
  const data = ['--no-defaults', `--datadir=${join(folder, 'data')}`]
  const files = ['--auth-root-authentication-method=normal', '--skip-test-db']
  await runProgram(install, [...data, ...files], options)
  const port = await freePort()
  const parameters = [
    ...data,
    `--port=${port}`,
    `--socket=${join(folder, 'socket')}`,
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    '--max-connections=1000',
    ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
  ]
  const start = (): Promise<ChildProcess> =>
    startServer(server, parameters, options, 'ready for connections')
  let running = await start()
  const endWithProcess = (): void => {
    running.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', endWithProcess)
  const client = ['--no-defaults', '--host=127.0.0.1', `--port=${port}`, '--user=root']
  await runProgram('mariadb', [...client, '--execute=CREATE DATABASE vault'], options)
  return {
    url: `mysql://root@127.0.0.1:${port}/vault`,
    kill: () => endProcess(running, 'SIGKILL'),
    restart: async () => {
      running = await start()
    },
    stop: async () => {
      process.off('exit', endWithProcess)
      await endProcess(running, 'SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the path of a program; undefined if it is not on PATH or where Debian's package is. */
function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}
