/**
 * Shows that a crash of MariaDB loses nothing that was acknowledged. The server is killed with
 * SIGKILL under twelve writers again and again. After each recovery the vault is compared with the
 * journal of what was written. Unacknowledged writes may be present or not. The negative control, a
 * server that acknowledges before its log is written (`innodb_flush_log_at_trx_commit=0`), must be
 * caught.
 *
 * `npm run prove -- crash-mysql [--short] [--encrypted] [--cycles 200] [--seed 1]`
 */

import { createMysqlStore, migrateMysql } from 'cofferkit/mysql'
import mysql, { type RowDataPacket } from 'mysql2/promise'
import { proveCrashes } from './crash-server/prove-crashes.js'
import { startMysql } from './support/mysql-server.js'

await proveCrashes({
  program: 'crash-mysql',
  title: 'MariaDB',
  unsafe: { innodb_flush_log_at_trx_commit: '0' },
  start: startMysql,
  connect(url) {
    const pool = mysql.createPool({ uri: url, connectionLimit: 8 })
    const count = 'SELECT count(*) AS count FROM cofferkit_blobs'
    return {
      store: createMysqlStore(pool),
      migrate: () => migrateMysql(pool),
      countBlobs: async () => (await pool.query<RowDataPacket[]>(count))[0][0]?.['count'] ?? 0,
      close: () => pool.end(),
    }
  },
})
