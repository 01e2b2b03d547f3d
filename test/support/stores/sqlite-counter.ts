/**
 * A process that counts in one record: opens the store at the path given first, adds 1 as often as the second argument
 * says, from eight callers at once, and tries again when it is refused.
 */

import { openSqliteStore } from 'cofferkit/sqlite'

const [path = '', times = ''] = process.argv.slice(2)
const key = { collection: 'c', id: 'count' }
const { records, close } = await openSqliteStore(path)

async function addOne(): Promise<void> {
  for (;;) {
    const stored = await records.get(key)
    const count = Number(new TextDecoder().decode(stored?.body)) + 1
    const body = new TextEncoder().encode(String(count))
    if (await records.put(key, { body }, stored?.version ?? 0)) return
  }
}

let left = Number(times)
await Promise.all(
  Array.from({ length: 8 }, async () => {
    while (left-- > 0) await addOne()
  }),
)
await close()
