/** Starts and stops the service. The pool ends last, because calls need it. */

import { createServer } from 'node:http'
import { DecryptionError } from 'cofferkit'
import { app } from './app.ts'
import { pool } from './db.ts'
import { checkKey, closeVaults } from './vault.ts'

await checkKey().catch((error: unknown) => {
  if (!(error instanceof DecryptionError)) throw error
  console.error('vault.key is not the key that the vaults were encrypted with')
  process.exit(1)
})
const port = Number(process.env['PORT'] ?? 3000)
const server = createServer(app)
server.listen(port, '127.0.0.1', () => console.log(`http://localhost:${port}`))

async function shutDown(): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  const idle = setInterval(() => server.closeIdleConnections(), 100)
  const late = setTimeout(() => server.closeAllConnections(), 10_000)
  await closed // 1. no new connections; the open requests get their responses
  clearInterval(idle)
  clearTimeout(late)
  await closeVaults() // 2. the calls in progress have settled
  await pool.end() // 3. nothing needs the database any more
}
let stopping: Promise<void> | undefined
const stop = () => (stopping ??= shutDown())
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
