/** Databases of a MySQL server, for the programs that run on every store. */

import type { VaultStore } from 'cofferkit'
import { createMysqlStore, migrateMysql } from 'cofferkit/mysql'
import mysql from 'mysql2/promise'
import { startMysql } from './mysql-server.js'

/** Creates a database on the server in `MYSQL_URL`, otherwise on a server of its own. */
export async function createMysqlLocation(): Promise<{
  readonly address: string
  remove(): Promise<void>
}> {
  const given = process.env['MYSQL_URL']
  const server = given === undefined ? await startMysql() : undefined
  const url = server?.url ?? given ?? ''
  const database = `cofferkit_reliability_${process.pid}_${Date.now()}`
  const withPool = async (work: (pool: mysql.Pool) => Promise<unknown>): Promise<void> => {
    const pool = mysql.createPool(url)
    await work(pool).finally(() => pool.end())
  }
  await withPool(async (pool) => {
    await pool.query(`CREATE DATABASE ${database}`)
    await migrateMysql(pool, { database })
  })
  return {
    address: JSON.stringify({ url, database }),
    remove: () =>
      server === undefined
        ? withPool((pool) => pool.query(`DROP DATABASE ${database}`))
        : server.stop(),
  }
}

/** Connects to a location. */
export async function connectToMysql(
  address: string,
): Promise<{ readonly store: VaultStore; close(): Promise<void> }> {
  const { url, database }: { url: string; database: string } = JSON.parse(address)
  const pool = mysql.createPool({ uri: url, connectionLimit: 8 })
  return { store: createMysqlStore(pool, { database }), close: () => pool.end() }
}
