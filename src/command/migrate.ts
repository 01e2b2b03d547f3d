/** The command `migrate`: creates, updates or prints the tables of a store. */

import { buildCommand } from '@stricli/core'
import type { Migration } from '../storage/sqlite.js'
import { CommandError } from './command-error.js'
import { type CommandLine, print, printNote } from './command-line.js'
import { switchFlag } from './flags.js'
import { openStore } from './store/open-store.js'
import { describeStore, type StoreLocation } from './store/parse-store.js'
import { locateStore, type StoreFlags, storeFlags } from './store/store-flags.js'

/** Creates or prints the tables of a store. */
export const migrateCommand = buildCommand<
  Omit<StoreFlags, 'encrypt'> & { readonly print: boolean },
  [],
  CommandLine
>({
  func: migrate,
  parameters: {
    flags: {
      store: storeFlags.store,
      schema: storeFlags.schema,
      config: storeFlags.config,
      print: switchFlag('Print the SQL statements and change nothing'),
    },
  },
  docs: {
    brief: 'Create or update the tables of a store, or print the SQL for it',
    fullDescription:
      'Creates the tables of a store in SQLite, PostgreSQL or MySQL, or updates them to this version.',
  },
})

/** Migrates the tables, or prints the statements that create them. */
async function migrate(
  this: CommandLine,
  flags: Omit<StoreFlags, 'encrypt'> & { readonly print: boolean },
): Promise<void> {
  const location = locateStore(this, flags)
  if (flags.print) {
    for (const { statements } of await listMigrations(location))
      for (const statement of statements) print(this, `${statement.trim()};\n`)
    return
  }
  const opened = await openStore(location, this.process.cwd(), 'create')
  try {
    if (opened.canMigrate === false)
      printNote(this, `${describeStore(location)} has no function migrate, so nothing was called.`)
    await opened.migrate()
  } finally {
    await opened.close()
  }
  print(this, `Ready: ${describeStore(location)}`)
}

async function listMigrations(location: StoreLocation): Promise<readonly Migration[]> {
  switch (location.kind) {
    case 'sqlite':
      return (await import('../storage/sqlite.js')).sqliteMigrations()
    case 'postgres':
      return (await import('../storage/postgres.js')).postgresMigrations({
        schema: location.schema,
      })
    case 'mysql':
      return (await import('../storage/mysql.js')).mysqlMigrations()
    default:
      throw new CommandError(
        location.kind === 'config' || location.kind === 'module'
          ? `the tables of ${describeStore(location)} are known only to it`
          : 'this store has no tables',
      )
  }
}
