/** Serves the files of a folder. */

import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { extname, join } from 'node:path'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}

/** Returns a listener that sends the file at the path of a request below `base`, or 404. */
export function serveFolder(folder: string, base: string): RequestListener {
  return (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const path = decodeURIComponent(pathname).replace(/\/$/, '/index.html')
    try {
      if (!path.startsWith(base)) throw new Error(`${path} is not below ${base}`)
      const content = readFileSync(join(folder, path.slice(base.length)))
      const type = types[extname(path)] ?? 'application/octet-stream'
      response.writeHead(200, { 'content-type': type }).end(content)
    } catch {
      response.writeHead(404).end()
    }
  }
}
