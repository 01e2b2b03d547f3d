/** A worker that answers, in JSON, how its runtime conforms; the path names a broken platform to do that on. */

import { createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { createHttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { report } from './conform.mjs'

/** Made where a worker allows no randomness, no timers and no input or output. */
const service = createVaultService({ store: createMemoryStore() })
const answer = createFetchHandler(createHttpHandler(service, { authenticate: () => undefined }))

// biome-ignore lint/style/noDefaultExport: it is how a worker is found.
export default {
  async fetch(request) {
    const url = new URL(request.url)
    const { status } = await answer(new Request(new URL('/v1/vaults', url)))
    if (status !== 401) return Response.json({ failed: `at the top of a worker: ${status}` })
    return Response.json(await report(decodeURIComponent(url.pathname.slice(1))))
  },
}
