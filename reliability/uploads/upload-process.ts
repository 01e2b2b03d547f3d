/** A process of the proof `uploads`: uploads on a connection of its own, by the clock of the machine. */

import { handleRequests } from '../support/worker-process.js'
import { createSeededRandom } from '../support/seeded-random.js'
import { type Connection, findEngine } from '../support/stores.js'
import { selectUploadStore, type BrokenVariant } from './broken-variants.js'
import { createPausedStore } from './paused-store.js'
import { type UploadReport, type UploadShare, uploadFiles } from './upload-files.js'

/** What the process is asked. */
export interface UploadRequest extends UploadShare {
  readonly engine: string
  readonly address: string
  readonly variant?: BrokenVariant
}

let connection: Promise<Connection> | undefined
const random = createSeededRandom(process.pid)

handleRequests<UploadRequest, UploadReport>(
  async ({ engine, address, variant, ...share }) => {
    connection ??= findEngine(engine).connect(address)
    const { store } = await connection
    return uploadFiles(
      selectUploadStore(createPausedStore(store, random, { longest: 150, share: 10 }), variant),
      share,
    )
  },
  async () => {
    await (await connection)?.close()
  },
)
