/** A process of the check `uploads`: uploads on a connection of its own, with the clock of the machine. */

import { createSeededRandom } from '../support/seeded-random.js'
import { type Connection, findEngine } from '../support/stores.js'
import { handleRequests } from '../support/worker-process.js'
import { type BrokenVariant, wrapUploadStore } from './broken-variants.js'
import { createPausedStore } from './paused-store.js'
import { type UploadReport, type UploadShare, uploadFiles } from './upload-files.js'

/** Request to upload files. */
export interface UploadRequest extends UploadShare {
  readonly engine: string
  readonly address: string
  readonly variant?: BrokenVariant
}

let connection: Promise<Connection> | undefined
const random = createSeededRandom(process.pid)
const pauses = { maxMs: 150, percent: 10 }

handleRequests<UploadRequest, UploadReport>(
  async ({ engine, address, variant, ...share }) => {
    connection ??= findEngine(engine).connect(address)
    const store = createPausedStore((await connection).store, random, pauses)
    return uploadFiles(wrapUploadStore(store, variant), share)
  },
  async () => {
    await (await connection)?.close()
  },
)
