/** Watchers that lack one part of what delivers every change. */

import type { RecordStore, VaultStore } from 'cofferkit'

/** The watcher, or a broken variant of it. */
export type ChangesVariant = (typeof changesVariants)[number]

export const changesVariants = ['real', 'holds nothing back', 'resumes at since'] as const

/** Every change counts as made at once. */
export function holdNothing(items: RecordStore): RecordStore {
  return { ...items, get: async () => ({ version: 1e9, body: new TextEncoder().encode('{}\n{}') }) }
}

/** No entry before that of `since` is read. */
export function resumeAtSince(log: VaultStore, since: string | undefined): VaultStore {
  if (since === undefined) return log
  const list: RecordStore['list'] = async (...query) => {
    const page = await log.records.list(...query)
    return page.filter(({ id }) => id <= since)
  }
  return { ...log, records: { ...log.records, list } }
}
