/** A process that rewraps the store until it is done or killed. */

import { openStore, type SharedStore } from './shared-store.js'

/** What such a process is told. */
export interface Order extends SharedStore {
  /** Whether there is a new key first. */
  readonly rotates: boolean
}

process.once('message', async (order: Order) => {
  const { store, close } = await openStore(order)
  if (order.rotates) await store.rotateDataKeys()
  process.send?.('begun')
  await store.reencrypt()
  await close()
  process.disconnect()
})
