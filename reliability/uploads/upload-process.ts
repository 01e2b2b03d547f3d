/** A process of the proof `uploads`: uploads on a connection of its own, by the clock of the machine. */

import { answerQuestions } from '../support/children.js'
import { createDice } from '../support/seeded-random.js'
import { type Connection, engineOf } from '../support/stores.js'
import { storeOfUploads, type Twin } from './broken-variants.js'
import { pausingStore } from './pausing-store.js'
import { type UploadReport, type UploadShare, uploadFiles } from './upload-files.js'

/** What the process is asked. */
export interface UploadQuestion extends UploadShare {
  readonly engine: string
  readonly address: string
  readonly twin?: Twin
}

let connection: Promise<Connection> | undefined
const dice = createDice(process.pid)

answerQuestions<UploadQuestion, UploadReport>(
  async ({ engine, address, twin, ...share }) => {
    connection ??= engineOf(engine).connect(address)
    const { store } = await connection
    return uploadFiles(
      storeOfUploads(pausingStore(store, dice, { longest: 150, share: 10 }), twin),
      share,
    )
  },
  async () => {
    await (await connection)?.close()
  },
)
