/** Checks what depends on how a package is installed: errors of its other copy, and a SQLite file. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NotFoundError, UnauthorizedError, VaultError } from 'cofferkit'
import { openSqliteStore } from 'cofferkit/sqlite'

const copy = createRequire(import.meta.url)('cofferkit')
assert.notEqual(copy.UnauthorizedError, UnauthorizedError)
assert.ok(new UnauthorizedError('unknown') instanceof copy.UnauthorizedError)
assert.ok(new copy.UnauthorizedError('unknown') instanceof VaultError)
assert.ok(!(new copy.UnauthorizedError('unknown') instanceof NotFoundError))

// A build must not rename the classes.
const { name, constructor } = new NotFoundError('no such item', { resource: 'item', id: '1' })
assert.deepEqual([name, constructor.name], ['NotFoundError', 'NotFoundError'])

const folder = mkdtempSync(join(tmpdir(), 'cofferkit-smoke-'))
try {
  const store = await openSqliteStore(join(folder, 'vault.db'))
  await store.close()
} finally {
  rmSync(folder, { recursive: true })
}

console.log(`ES modules work beside their CommonJS copy on Node ${process.version}`)
