/** A process with writers that change random records for a time, and count the changes of each. */

import { createSeededRandom } from '../support/seeded-random.js'
import { handleRequests } from '../support/worker-process.js'
import {
  countChanges,
  createRecord,
  openStore,
  recordKeyOf,
  type SharedStore,
} from './shared-store.js'

/** Request to this process. */
export interface WriteRequest extends SharedStore {
  readonly records: number
  readonly writers: number
  readonly milliseconds: number
  readonly seed: number
}

/** The acknowledged changes of each record, by its number. */
export type ChangeCounts = ReadonlyMap<number, number>

let open: ReturnType<typeof openStore> | undefined

handleRequests<WriteRequest, ChangeCounts>(
  async (request) => {
    open ??= openStore(request)
    const { store } = await open
    const changes = new Map<number, number>()
    const end = Date.now() + request.milliseconds
    const write = async (writer: number): Promise<void> => {
      const random = createSeededRandom(request.seed * 100 + writer)
      while (Date.now() < end) {
        const number = random.below(request.records)
        const found = await store.records.get(recordKeyOf(number))
        if (found === undefined) throw new Error(`record ${number} is missing`)
        const before = countChanges(number, found.body)
        if (found.version !== before + 1) throw new Error(`record ${number} has another version`)
        const record = createRecord(number, before + 1)
        if (await store.records.put(recordKeyOf(number), record, found.version))
          changes.set(number, (changes.get(number) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: request.writers }, (_, writer) => write(writer)))
    return changes
  },
  async () => (await open)?.close(),
)
