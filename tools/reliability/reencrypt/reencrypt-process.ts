/** A process that re-encrypts the store until it is done or killed. */

import { openStore, type SharedStore } from './shared-store.js'

/** Request to this process. */
export interface ReencryptRequest extends SharedStore {
  /** True if a new data key is created first. */
  readonly rotates: boolean
}

process.once('message', async (request: ReencryptRequest) => {
  const { store, close } = await openStore(request)
  if (request.rotates) await store.rotateDataKeys()
  process.send?.('started')
  await store.reencrypt()
  await close()
  process.disconnect()
})
