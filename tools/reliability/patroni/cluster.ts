/** Three PostgreSQL servers under Patroni with an etcd, on loopback and in a folder of their own. */

import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { etcdProgram, startEtcd } from '../support/etcd-server.js'
import { postgresFolder, postgresUser } from '../support/postgres-binaries.js'
import { createMember, type Member } from './member.js'

/** A cluster that is running. */
export interface Cluster {
  readonly members: readonly Member[]
  /**
   * Resolves with the primary when all members are part of the cluster: the others receive its
   * log, and one of them is synchronous if the cluster is.
   */
  whole(): Promise<Member>
  /** Kills everything and removes the folder. */
  stop(): Promise<void>
}

/** The time after which a leader lock expires: Patroni's `ttl`, 30 s by default. */
const ttlSeconds = 10
const maxStartMs = 180_000

/** The programs that a cluster needs and that are not installed, as names of Debian's packages. */
export function missingPackages(): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(':')
  const hasPatroni = folders.some((folder) => existsSync(join(folder, 'patroni')))
  return [
    ...(postgresFolder() === undefined ? ['postgresql'] : []),
    ...(hasPatroni ? [] : ['patroni']),
    ...(etcdProgram() === undefined ? ['etcd-server'] : []),
  ]
}

/** Starts an empty cluster. It ends with this process. */
export async function startCluster(isSynchronous: boolean): Promise<Cluster> {
  const programs = postgresFolder()
  if (programs === undefined) throw new Error('PostgreSQL is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-patroni-'))
  const { uid, gid } = postgresUser()
  if (uid !== undefined) chownSync(folder, uid, gid ?? uid)
  const etcd = await startEtcd()
  const settings = {
    folder,
    etcd: new URL(etcd.endpoint).host,
    programs,
    isSynchronous,
    ttlSeconds,
  }
  const members: Member[] = []
  for (const name of ['one', 'two', 'three']) members.push(await createMember(name, settings))
  const endWithProcess = (): void => {
    for (const member of members) member.signalAll()
    rmSync(folder, { recursive: true, force: true })
  }
  const whole = (): Promise<Member> => findWhole(members, isSynchronous)
  process.once('exit', endWithProcess)
  const stop = async (): Promise<void> => {
    for (const member of members) await member.kill()
    await etcd.stop()
    process.off('exit', endWithProcess)
    rmSync(folder, { recursive: true, force: true })
  }
  for (const member of members) member.start()
  await whole().catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { members, whole, stop }
}

/** Returns the number of the primary's timeline. Every promotion begins one with a higher number. */
export async function readTimeline({ url }: Member): Promise<number> {
  const [row] = await ask(url, 'SELECT pg_walfile_name(pg_current_wal_lsn()) AS file')
  return Number.parseInt(String(row?.['file']).slice(0, 8), 16)
}

async function findWhole(members: readonly Member[], isSynchronous: boolean): Promise<Member> {
  const replicas = `SELECT count(*)::int4 AS count FROM pg_stat_replication
    WHERE state = 'streaming' AND application_name IN ('one', 'two', 'three')`
  for (const end = Date.now() + maxStartMs; Date.now() < end; await pause(300)) {
    const primary = await find(members, 'primary')
    if (primary === undefined) continue
    const [row] = await ask(primary.url, replicas).catch(() => [])
    const isWhole = row?.['count'] === members.length - 1
    if (isWhole && (!isSynchronous || (await find(members, 'synchronous')))) return primary
  }
  throw new Error(`the cluster is not whole after ${maxStartMs} ms`)
}

async function find(
  members: readonly Member[],
  role: 'primary' | 'synchronous',
): Promise<Member | undefined> {
  const have = await Promise.all(members.map((member) => member.has(role)))
  return members.find((_, index) => have[index])
}

async function ask(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  // A connection that is cut fails again when it is ended.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}
