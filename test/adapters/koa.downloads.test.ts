import { once } from 'node:events'
import { createServer } from 'node:http2'
import { createRequire } from 'node:module'
import Koa3 from 'koa'
import { describe, expect, it } from 'vitest'
import { createKoaMiddleware } from '../../src/adapters/koa.js'
import type { HttpHandler } from '../../src/http/message.js'
import {
  endlessDownload,
  endOf,
  failingDownload,
  gettingOnHttp2,
  heldBack,
} from '../support/downloads.js'
import { listening } from '../support/serve.js'
import { withinASecond } from '../support/wire.js'

// The types of the newer version are those of the older one, as far as they are used here.
const Koa2: typeof Koa3 = createRequire(import.meta.url)('koa2')

describe.each([
  ['Koa 2', Koa2],
  ['Koa 3', Koa3],
])('createKoaMiddleware in %s on node:http2', (_, Koa) => {
  function serverOf(handler: HttpHandler) {
    const app = new Koa().use(createKoaMiddleware(handler))
    app.silent = true
    return createServer(app.callback() as unknown as Parameters<typeof createServer>[1])
  }

  it.each([
    ['before its first byte', 0],
    ['in the middle', 2],
  ])('ends no download as if it were whole that fails %s', async (_, count) => {
    await listening(serverOf(failingDownload(count)), async (origin) => {
      const code = await gettingOnHttp2(origin, (stream) => withinASecond('the end', endOf(stream)))
      expect(code).toBe(2)
    })
  })

  it('lets go of a download when the client hangs up in the middle', async () => {
    const { handler, letGo } = endlessDownload()
    await listening(serverOf(handler), (origin) =>
      gettingOnHttp2(origin, async (stream) => {
        await once(stream, 'data')
        stream.destroy()
        await withinASecond('letting go', letGo)
      }),
    )
  })

  it('lets go of a download when the client has hung up before it begins', async () => {
    const { handler, letGo } = endlessDownload()
    const held = heldBack(handler)
    await listening(serverOf(held.handler), (origin) =>
      gettingOnHttp2(origin, async (stream) => {
        await held.asked
        stream.destroy()
        await held.goOn()
        await withinASecond('letting go', letGo)
      }),
    )
  })
})
