/**
 * Runs the store contract on `openSqliteStore` with files in the current folder, and prints the
 * result.
 */

import { openSqliteStore } from 'cofferkit/sqlite'
import { blobStoreContract, recordStoreContract } from 'cofferkit/testing'

const checks = []
for (const [part, cases] of Object.entries({
  records: recordStoreContract,
  blobs: blobStoreContract,
})) {
  for (const { name, run } of cases) {
    const store = await openSqliteStore(`contract-${checks.length}.db`)
    await run(store[part])
    await store.close()
    checks.push(name)
  }
}
globalThis.process.stdout.write(`${JSON.stringify({ checks })}\n`)
