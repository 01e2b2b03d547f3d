/**
 * Shows that a crash of PostgreSQL loses nothing that was acknowledged. The postmaster and all its
 * children are killed with SIGKILL under twelve writers again and again. After each recovery the
 * vault is compared with the journal of what was written. Unacknowledged writes may be present or
 * not. The negative control, a server that acknowledges before its log is written
 * (`synchronous_commit=off`), must be caught.
 *
 * `npm run prove -- crash-postgres [--short] [--encrypted] [--cycles 200] [--seed 1]`
 */

import { createPostgresStore, migratePostgres } from 'cofferkit/postgres'
import pg from 'pg'
import { proveCrashes } from './crash-server/prove-crashes.js'
import { startPostgres } from './support/postgres-server.js'

await proveCrashes({
  program: 'crash-postgres',
  title: 'PostgreSQL',
  unsafe: { synchronous_commit: 'off' },
  start: startPostgres,
  connect(url) {
    const pool = new pg.Pool({ connectionString: url, max: 8 })
    pool.on('error', () => {})
    const count = 'SELECT count(*)::int4 AS count FROM cofferkit_blobs'
    return {
      store: createPostgresStore(pool, { prepare: true }),
      migrate: () => migratePostgres(pool),
      countBlobs: async () => (await pool.query<{ count: number }>(count)).rows[0]?.count ?? 0,
      close: () => pool.end(),
    }
  },
})
