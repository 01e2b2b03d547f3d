/** A worker that responds with the report of its secret fetch. The path is the server's origin. */

import { report } from './secret-fetch-checks.mjs'

// biome-ignore lint/style/noDefaultExport: it is how a worker is found.
export default {
  async fetch(request) {
    const { pathname } = new URL(request.url)
    return Response.json(await report(decodeURIComponent(pathname.slice(1))))
  },
}
