/** Counts in a record. */

import type { RecordKey, RecordStore } from '../../../src/index.js'
import { utf8 } from '../bytes.js'

/** Increments the number in the record, each time with a separate write. */
export async function increment(
  records: RecordStore,
  key: RecordKey,
  times: number,
): Promise<void> {
  for (let done = 0; done < times; ) {
    const stored = await records.get(key)
    const count = stored === undefined ? 0 : Number(new TextDecoder().decode(stored.body))
    const body = utf8(String(count + 1))
    if (await records.put(key, { body }, stored?.version ?? 0)) done++
  }
}
