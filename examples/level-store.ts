/** Runs the store contract on LevelDB, with the store of the template. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { VaultStore } from 'cofferkit'
import {
  blobStoreContract,
  createContractTests,
  type OnCleanup,
  recordStoreContract,
} from 'cofferkit/testing'
import { openLevelDatabase } from './level-database.ts'
import { createStore } from './store-template/src/index.ts'

async function createTestStore(onCleanup: OnCleanup): Promise<VaultStore> {
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-level-'))
  onCleanup(() => rm(folder, { recursive: true }))
  const database = await openLevelDatabase(folder)
  onCleanup(() => database.close())
  return createStore(database)
}

const tests = [
  ...createContractTests(
    recordStoreContract,
    async (on) => (await createTestStore(on)).records,
  ),
  ...createContractTests(
    blobStoreContract,
    async (on) => (await createTestStore(on)).blobs,
  ),
]
for (const { run } of tests) await run()
console.log(`${tests.length} cases passed`)
