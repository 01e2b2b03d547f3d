/**
 * Delivers the changes of all processes that share a store, at least once and never too early.
 *
 * @example
 * ```ts
 * import { createCaller } from 'cofferkit'
 * import { watchChanges } from 'cofferkit/changes'
 * import { createMemoryStore } from 'cofferkit/memory'
 *
 * export async function dropChanged(cache: Map<string, unknown>) {
 *   const store = createMemoryStore() // that of the service and of its createStoredActivityLog
 *   const caller = createCaller('cache', '*')
 *   for await (const { itemId } of watchChanges({ log: store, items: store.records, caller }))
 *     if (itemId !== undefined) cache.delete(itemId)
 * }
 * ```
 *
 * @module cofferkit/changes
 */

export type { Change } from './changes/change.js'
export { type WatchOptions, watchChanges } from './changes/watch-changes.js'
