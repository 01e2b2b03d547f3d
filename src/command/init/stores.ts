/** The configuration of a project, which differs by its database. */

/** A database for which `init` has a configuration. */
export type Database = 'postgres' | 'sqlite'

/** The packages that the configuration imports. */
export const databasePackages: Readonly<Record<Database, readonly string[]>> = {
  postgres: ['pg'],
  sqlite: [],
}

/** The text of `cofferkit.config.mjs`. The service and the commands open the store with it. */
export const configTexts: Readonly<Record<Database, string>> = {
  postgres: `// The store of this project, encrypted, in the schema "vaults" of PostgreSQL.
// The commands of npx cofferkit open it with this file as well.
import { join } from 'node:path'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  readKeyFile,
} from 'cofferkit/encrypted'
import { createPostgresStore, migratePostgres } from 'cofferkit/postgres'
import pg from 'pg'

const { DATABASE_URL: connectionString } = process.env
if (!connectionString)
  throw new Error('Set DATABASE_URL, such as postgres://user@localhost/app')
const pool = new pg.Pool({ connectionString })
pool.on('error', (error) => console.error(error.message))

// In production, use a key service instead of a file: docs/kms.md of cofferkit.
const key = await readKeyFile(join(import.meta.dirname, 'vault.key'))
const keys = createLocalKeyProvider({ key })
const records = createPostgresStore(pool, { schema: 'vaults', prepare: true })

export default {
  store: createEncryptedStore(records, { keys }),
  migrate: () => migratePostgres(pool, { schema: 'vaults' }),
  close: () => pool.end(),
}
`,
  sqlite: `// The store of this project: an encrypted SQLite file.
// The commands of npx cofferkit open it with this file as well.
import { join } from 'node:path'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  readKeyFile,
} from 'cofferkit/encrypted'
import { openSqliteStore } from 'cofferkit/sqlite'

const folder = import.meta.dirname
// In production, use a key service instead of a file: docs/kms.md of cofferkit.
const key = await readKeyFile(join(folder, 'vault.key'))
const keys = createLocalKeyProvider({ key })
const records = await openSqliteStore(join(folder, 'vault.db'))

export default {
  store: createEncryptedStore(records, { keys }),
  close: () => records.close(),
}
`,
}
