/** A libSQL server, which can be killed under its writers. */

import { createLibsqlStore, migrateLibsql } from 'cofferkit/libsql'
import { openLibsql, startLibsql } from '../support/libsql-server.js'
import type { ServerKind } from './open-vault.js'

/** The unsafe one loses the log that it has not synced, as it can happen in a loss of power. */
export const libsqlKind: ServerKind = {
  program: 'crash-libsql',
  title: 'libSQL server',
  unsafe: { lose: 'data-wal' },
  start: startLibsql,
  connect(url) {
    const client = openLibsql(url)
    const store = createLibsqlStore(client)
    const count = { sql: 'select count(*) as count from cofferkit_blobs', args: [] }
    return {
      store,
      migrate: () => migrateLibsql(client),
      async countBlobs() {
        const [row] = (await client.execute(count)).rows
        return Number((row as { count: number }).count)
      },
      close: async () => client.close(),
    }
  },
}
