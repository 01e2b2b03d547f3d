/** A worker that runs one case of the store contract on an empty D1 database: `/records/3`. */

import { blobStoreContract, recordStoreContract } from 'cofferkit/testing'
import { type D1Database, openD1Store } from '../../../../examples/d1-store.js'

const contracts = { records: recordStoreContract, blobs: blobStoreContract }
const tables = ['records', 'blobs', 'chunks', 'schema'].map((name) => `cofferkit_${name}`)

// biome-ignore lint/style/noDefaultExport: workers require a default export.
export default {
  async fetch({ url }: Request, { DB }: { readonly DB: D1Database }): Promise<Response> {
    const [part, index] = new URL(url).pathname.slice(1).split('/')
    await DB.batch(tables.map((table) => DB.prepare(`drop table if exists ${table}`)))
    const store = await openD1Store(DB)
    try {
      if (part === 'records') await contracts.records[Number(index)]?.run(store.records)
      else await contracts.blobs[Number(index)]?.run(store.blobs)
      return new Response('passed')
    } catch (error) {
      return new Response(String(error))
    }
  },
}
