import { createServer } from 'node:http2'
import { createRequire } from 'node:module'
import Koa3 from 'koa'
import { describe, it } from 'vitest'
import { createKoaMiddleware } from '../../src/adapters/koa.js'
import type { HttpHandler } from '../../src/http/message.js'
import { downloadsOnHttp2 } from '../support/http/downloads.js'

// The members that are used here have the same types in both versions.
const Koa2: typeof Koa3 = createRequire(import.meta.url)('koa2')

describe.each([
  ['Koa 2', Koa2],
  ['Koa 3', Koa3],
])('createKoaMiddleware in %s on node:http2', (_, Koa) => {
  async function serverOf(handler: HttpHandler) {
    const app = new Koa().use(createKoaMiddleware(handler))
    app.silent = true
    return createServer(app.callback() as unknown as Parameters<typeof createServer>[1])
  }

  it.each(downloadsOnHttp2)('sends a download that %s', (_, run) => run(serverOf))
})
