import { createServer } from 'node:http'
import Koa from 'koa'
import { describe, expect, it } from 'vitest'
import { createKoaMiddleware } from '../../src/adapters/koa.js'
import type { HttpHandler, HttpResponse } from '../../src/http/message.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { itemUrl } from '../support/http/requests.js'
import { listening } from '../support/http/serve.js'

const authorization = 'Bearer full-token'

describe('createKoaMiddleware', () => {
  it('sets the response for the middleware before it', async () => {
    const vault = await createTestVault()
    const seen: unknown[] = []
    const app = new Koa()
    app.use(async (ctx, next) => {
      await next()
      seen.push(ctx.status, ctx.type, JSON.parse(String(ctx.body)))
      ctx.set('x-before', 'seen')
    })
    app.use(createKoaMiddleware(vault.handler))
    await listening(createServer(app.callback()), async (origin) => {
      const response = await fetch(origin + itemUrl(vault), { headers: { authorization } })
      expect(response.headers.get('x-before')).toBe('seen')
      expect(await response.json()).toEqual(vault.item)
    })
    expect(seen).toEqual([200, 'application/json', vault.item])
  })

  it('rejects with the error of the handler', async () => {
    const app = new Koa()
    app.use(async (ctx, next) => {
      try {
        await next()
      } catch {
        ctx.status = 418
      }
    })
    app.use(createKoaMiddleware(() => Promise.reject(new Error('impossible'))))
    await listening(createServer(app.callback()), async (origin) => {
      expect((await fetch(origin)).status).toBe(418)
    })
  })

  it.each<[string, HttpResponse['body'], string]>([
    ['bytes', Uint8Array.of(0x41, 0x42), 'AB'],
    ['bytes within others', Uint8Array.of(0x40, 0x41, 0x42).subarray(1), 'AB'],
    ['an empty string', '', ''],
  ])('sends %s', async (_, body, text) => {
    const headers = { 'content-type': 'application/octet-stream' }
    const app = new Koa().use(createKoaMiddleware(async () => ({ status: 200, headers, body })))
    await listening(createServer(app.callback()), async (origin) => {
      const response = await fetch(origin)
      expect(response.headers.get('content-length')).toBe(String(text.length))
      expect(response.headers.get('content-type')).toBe('application/octet-stream')
      expect(await response.text()).toBe(text)
    })
  })

  it.each([
    ['the connection when no proxy is trusted', false, /127\.0\.0\.1$/],
    ['the client when a proxy is trusted', true, /^192\.0\.2\.7$/],
  ])('passes the address of %s', async (_, proxy, address) => {
    const seen: unknown[] = []
    const handler: HttpHandler = async ({ remoteAddress }) => {
      seen.push(remoteAddress)
      return { status: 204, headers: {}, body: null }
    }
    const app = new Koa({ proxy }).use(createKoaMiddleware(handler))
    await listening(createServer(app.callback()), async (origin) => {
      await fetch(origin, { headers: { 'x-forwarded-for': '192.0.2.7' } })
    })
    expect(seen).toEqual([expect.stringMatching(address)])
  })
})
