/**
 * A worker that responds with the conformance report of its runtime in JSON. The path names a
 * broken platform to use.
 */

import { createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { createHttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { report } from './conform.mjs'

/** Created at the top level, where a worker has no randomness, timers or I/O. */
const service = createVaultService({ store: createMemoryStore() })
const fetchVault = createFetchHandler(createHttpHandler(service, { authenticate: () => undefined }))

// biome-ignore lint/style/noDefaultExport: it is how a worker is found.
export default {
  async fetch(request) {
    const url = new URL(request.url)
    const { status } = await fetchVault(new Request(new URL('/v1/vaults', url)))
    if (status !== 401) return Response.json({ failed: `at the top of a worker: ${status}` })
    return Response.json(await report(decodeURIComponent(url.pathname.slice(1))))
  },
}
