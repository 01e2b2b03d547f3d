/** Finds PostgreSQL's programs, and the user with the permission to run them. */

import { execFileSync, type SpawnOptions } from 'node:child_process'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { systemUser } from './server-process.js'

const packaged = '/usr/lib/postgresql'

/**
 * The folder of `initdb` and `postgres`: on PATH, or in the newest of Debian's packages. Undefined
 * if PostgreSQL is not installed.
 */
export function postgresFolder(): string | undefined {
  const versions = existsSync(packaged) ? readdirSync(packaged) : []
  const newestFirst = versions.sort((left, right) => Number(right) - Number(left))
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = [...folders, ...newestFirst.map((version) => join(packaged, version, 'bin'))].find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  )
  // Files on PATH can be links to some of the programs.
  return found && dirname(realpathSync(join(found, 'initdb')))
}

/** The major version of the programs in the folder, such as 15. */
export function postgresVersion(folder: string): number {
  const words = execFileSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' })
  return Number(/\d+/.exec(words)?.[0])
}

/**
 * The user to run a server as: `postgres` if this process runs as root, which PostgreSQL rejects;
 * otherwise the user of this process.
 */
export function postgresUser(): Pick<SpawnOptions, 'uid' | 'gid'> {
  return process.getuid?.() === 0 ? systemUser('postgres') : {}
}
