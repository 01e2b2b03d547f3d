/**
 * A process that increments one record. The arguments are the path of the store and the number of
 * increments. Eight callers increment concurrently and retry on conflict.
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
