/** A process with writers that change random records for a while, and say how often each was changed. */

import { handleRequests } from '../support/worker-process.js'
import { createSeededRandom } from '../support/seeded-random.js'
import { changesIn, openStore, placeOf, recordOf, type SharedStore } from './shared-store.js'

/** What such a process is asked. */
export interface Work extends SharedStore {
  readonly records: number
  readonly writers: number
  readonly milliseconds: number
  readonly seed: number
}

/** The acknowledged changes of each record, by its number. */
export type Changes = ReadonlyMap<number, number>

let open: ReturnType<typeof openStore> | undefined

handleRequests<Work, Changes>(
  async (work) => {
    open ??= openStore(work)
    const { store } = await open
    const changes = new Map<number, number>()
    const end = Date.now() + work.milliseconds
    const write = async (writer: number): Promise<void> => {
      const random = createSeededRandom(work.seed * 100 + writer)
      while (Date.now() < end) {
        const number = random.below(work.records)
        const found = await store.records.get(placeOf(number))
        if (found === undefined) throw new Error(`record ${number} is gone`)
        const before = changesIn(number, found.body)
        if (found.version !== before + 1) throw new Error(`record ${number} has another version`)
        const record = recordOf(number, before + 1)
        if (await store.records.put(placeOf(number), record, found.version))
          changes.set(number, (changes.get(number) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: work.writers }, (_, writer) => write(writer)))
    return changes
  },
  async () => (await open)?.close(),
)
