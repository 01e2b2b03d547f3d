/** A worker that runs the store contract on the Durable Object store of the examples. */

import { blobStoreContract, recordStoreContract } from 'cofferkit/testing'
import { createDurableObjectStore } from '../../examples/durable-object-store.ts'

/** A new, empty store for one case. */
export class StoreObject {
  constructor({ storage }) {
    this.store = createDurableObjectStore(storage)
  }

  async fetch(request) {
    const [part, index] = new URL(request.url).pathname.slice(1).split('/')
    const cases = part === 'records' ? recordStoreContract : blobStoreContract
    await cases[index].run(this.store[part])
    return new Response(null, { status: 204 })
  }
}

// biome-ignore lint/style/noDefaultExport: it is how a worker is found.
export default {
  async fetch(_request, { STORES }) {
    const contracts = { records: recordStoreContract, blobs: blobStoreContract }
    const checks = []
    for (const [part, cases] of Object.entries(contracts)) {
      for (const [index, { name }] of cases.entries()) {
        const object = STORES.get(STORES.newUniqueId())
        try {
          await object.fetch(`http://store.test/${part}/${index}`)
        } catch (error) {
          return Response.json({ failed: `${name}: ${error.message}` })
        }
        checks.push(name)
      }
    }
    return Response.json({ checks })
  },
}
