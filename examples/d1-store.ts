/** A store in Cloudflare D1, for workers. It passes the store contract. */

import type { VaultStore } from 'cofferkit'
import {
  createLibsqlStore,
  type LibsqlStatement,
  migrateLibsql,
} from 'cofferkit/libsql'

/** The part of a D1 database that is used here: a binding such as `env.DB`. */
export interface D1Database {
  prepare(sql: string): D1Statement
  batch(statements: D1Statement[]): Promise<unknown>
}

interface D1Statement {
  bind(...values: unknown[]): D1Statement
  all(): Promise<{ results: unknown[] }>
}

/** Creates the tables if they do not exist, and a store on them. */
export async function openD1Store(database: D1Database): Promise<VaultStore> {
  const toStatement = ({ sql, args }: LibsqlStatement): D1Statement =>
    database.prepare(sql).bind(...args)
  const client = {
    execute: async (statement: LibsqlStatement) => ({
      rows: (await toStatement(statement).all()).results,
    }),
    batch: (statements: LibsqlStatement[]) =>
      database.batch(statements.map(toStatement)),
  }
  await migrateLibsql(client)
  return createLibsqlStore(client)
}
