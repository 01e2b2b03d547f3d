/** A PgBouncer in front of a server, on loopback and in a folder of its own. */

import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresUser } from '../../../../tools/reliability/support/postgres-binaries.js'
import {
  endProcess,
  freePort,
  startServer,
} from '../../../../tools/reliability/support/server-process.js'

/** A pooler that is running. */
export interface PgBouncer {
  readonly url: string
  stop(): Promise<void>
}

/** The version, such as 1.18; undefined if PgBouncer is not installed. */
export function pgBouncerVersion(): number | undefined {
  try {
    const words = execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' })
    return Number(/PgBouncer (\d+\.\d+)/.exec(words)?.[1])
  } catch {
    return undefined
  }
}

/** Starts it in transaction mode, with four connections to the server at the URL. */
export async function startPgBouncer(serverUrl: string): Promise<PgBouncer> {
  const { hostname, port, username, password } = new URL(serverUrl)
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-pgbouncer-'))
  const user = postgresUser()
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid ?? user.uid)
  const ownPort = await freePort()
  const configuration = join(folder, 'pgbouncer.ini')
  const server = [`host=${hostname}`, `port=${port}`, `user=${username}`]
  if (password !== '') server.push(`password=${password}`)
  writeFileSync(
    configuration,
    `[databases]
* = ${server.join(' ')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
`,
  )
  const options = { ...user, cwd: folder }
  const child = await startServer('pgbouncer', [configuration], options, 'process up')
  const url = new URL(serverUrl)
  url.hostname = '127.0.0.1'
  url.port = String(ownPort)
  return {
    url: url.href,
    async stop() {
      await endProcess(child, 'SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
