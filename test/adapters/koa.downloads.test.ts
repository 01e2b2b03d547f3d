import { createServer } from 'node:http2'
import { describe, it } from 'vitest'
import { createKoaMiddleware } from '../../src/adapters/koa.js'
import type { HttpHandler } from '../../src/http/message.js'
import { downloadsOnHttp2 } from '../support/http/downloads.js'
import { koaVersions } from '../support/http/frameworks.js'

describe.each(koaVersions)('createKoaMiddleware in %s on node:http2', (_, Koa) => {
  async function serverOf(handler: HttpHandler) {
    const app = new Koa().use(createKoaMiddleware(handler))
    app.silent = true
    return createServer(app.callback() as unknown as Parameters<typeof createServer>[1])
  }

  it.each(downloadsOnHttp2)('sends a download that %s', (_, run) => run(serverOf))
})
