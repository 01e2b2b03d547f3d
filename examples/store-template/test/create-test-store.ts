/** Creates an empty store for one test. */

import type { VaultStore } from 'cofferkit'
import type { OnCleanup } from 'cofferkit/testing'
import { createToyDatabase } from '../src/database.ts'
import { createStore } from '../src/index.ts'

/** Register here what a test must not leave behind: connections, tables, folders. */
export async function createTestStore(
  onCleanup: OnCleanup,
): Promise<VaultStore> {
  const database = createToyDatabase()
  onCleanup(() => {}) // such as: onCleanup(() => database.close())
  return createStore(database)
}
