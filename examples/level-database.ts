/** The commands of the store template in LevelDB: a folder on disk that one process can use. */

import { Level } from 'level'
import { type Database, isSameValue } from './store-template/src/database.ts'

/**
 * Opens the database in `folder`, and creates it if it does not exist. LevelDB locks the folder, so
 * opening rejects while this or another process has it open.
 */
export async function openLevelDatabase(
  folder: string,
): Promise<Database & { close(): Promise<void> }> {
  const level = new Level<string, Uint8Array>(folder, { valueEncoding: 'view' })
  await level.open()
  const lastChanges = new Map<string, Promise<unknown>>()

  /** Does `work` after all earlier work for `key`. */
  function enqueue<Result>(
    key: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const result = (lastChanges.get(key) ?? Promise.resolve()).then(work, work)
    const forget = (): void => {
      if (lastChanges.get(key) === result) lastChanges.delete(key)
    }
    lastChanges.set(key, result)
    result.then(forget, forget)
    return result
  }

  return {
    get: (key) => level.get(key),
    scan: (after, before) => level.iterator({ gt: after, lt: before }),
    change: (key, expected, changes) =>
      enqueue(key, async () => {
        if (!isSameValue(await level.get(key), expected)) return false
        const operations = changes.map(([changed, value]) =>
          value === undefined
            ? ({ type: 'del', key: changed } as const)
            : ({ type: 'put', key: changed, value } as const),
        )
        // Every change is synced. A synced write does not include those of an earlier log file.
        await level.batch(operations, { sync: true })
        return true
      }),
    close: () => level.close(),
  }
}
