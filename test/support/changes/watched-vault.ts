/** A vault whose changes are watched, on a clock that only passes when nothing else happens. */

import { onTestFinished } from 'vitest'
import { createStoredActivityLog } from '../../../src/activity.js'
import { type Change, type WatchOptions, watchChanges } from '../../../src/changes.js'
import type { ChangesOptions } from '../../../src/http.js'
import {
  type ActivityEntry,
  createCaller,
  createVaultService,
  type VaultService,
  type VaultStore,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { useVirtualTime } from '../virtual-time.js'

const start = Date.parse('2026-01-01T00:00:00.000Z')

export const caller = createCaller('alice', '*')
export const vaultId = 'v'.repeat(26)
export const itemId = 'i'.repeat(26)

/** The changes that a watcher has received, and its end. */
export interface Watcher {
  readonly changes: Change[]
  /** Settles as the iteration does. */
  readonly ended: Promise<void>
  stop(): void
}

/** Creates a store, services and watchers on it. */
export async function createWatchedVault(store: VaultStore = createMemoryStore()) {
  useVirtualTime()
  const createClock = (aheadMs = 0) => {
    return () => new Date(start + performance.now() + aheadMs)
  }
  const createService = (aheadMs = 0, inner: VaultStore = store): VaultService => {
    const activity = createStoredActivityLog(store)
    return createVaultService({ store: inner, activity, now: createClock(aheadMs) })
  }
  const watch = (options: Partial<WatchOptions> = {}, watched = store): Watcher => {
    const changes: Change[] = []
    const end = new AbortController()
    onTestFinished(() => end.abort())
    const iterate = async (): Promise<void> => {
      const common = { log: watched, items: watched.records, caller, now: createClock() }
      const all = watchChanges({ ...common, signal: end.signal, ...options })
      for await (const change of all) changes.push(change)
    }
    const ended = iterate()
    ended.catch(() => {})
    return { changes, ended, stop: () => end.abort() }
  }
  /** Records an entry as a writer does that then pauses, or crashes. */
  const record = (
    action: 'CREATE' | 'UPDATE' | 'DELETE',
    version: number,
    more: Partial<ActivityEntry> & { readonly aheadMs?: number } = {},
  ): Promise<void> => {
    const { aheadMs = 0, ...entry } = more
    return createStoredActivityLog(store).record({
      requestId: crypto.randomUUID(),
      timestamp: createClock(aheadMs)().toISOString(),
      operation: 'patchItem',
      action,
      result: 'SUCCESS',
      actor: { id: 'bob' },
      resource: {
        type: 'ITEM',
        vault: { id: vaultId },
        item: { id: itemId },
        itemVersion: version,
        recordVersion: action === 'DELETE' ? version + 1 : version,
      },
      ...entry,
    })
  }
  const service = createService()
  await service.createVault(caller, { vaultId, name: 'Home' })
  return { store, service, createService, createClock, watch, record }
}

/** Returns the option `changes` of a handler. */
export function changesOf(store: VaultStore): ChangesOptions {
  return { watch: watchChanges, log: store, items: store.records }
}

/** Lets this much time pass. */
export function pass(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}

/** The types and the versions of changes, such as `item.updated 2`. */
export function describeChanges(changes: readonly Change[]): string[] {
  return changes.map(({ type, version }) => `${type} ${version}`)
}
