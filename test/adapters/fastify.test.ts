import { Transform } from 'node:stream'
import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { createFastifyPlugin } from '../../src/adapters/fastify.js'
import type { HttpHandler } from '../../src/http/message.js'
import { noteDraft } from '../support/drafts.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { fastifyVersions } from '../support/http/frameworks.js'
import { itemUrl, vaultUrl } from '../support/http/requests.js'

const headers = { authorization: 'Bearer full-token', 'content-type': 'application/json' }

describe('createFastifyPlugin', () => {
  it.each(fastifyVersions)('responds to app.inject in %s', async (_, create) => {
    const vault = await createTestVault()
    const app = create().register(createFastifyPlugin(vault.handler), { prefix: '/secrets' })
    const response = await app.inject({ url: `/secrets${itemUrl(vault)}`, headers })
    expect([response.statusCode, response.json()]).toEqual([200, vault.item])
  })

  it.each([
    ['within a prefix', '/a', '/b/', '/a/b'],
    ['with a parameter', '/:tenant', '/secrets', '/acme/secrets'],
    ['that the client has escaped', '', '/secrets', '/%73ecrets'],
  ])('is registered under a prefix %s', async (_, outer, inner, path) => {
    const vault = await createTestVault()
    const app = fastify()
    app.register(
      async (scope) => {
        scope.register(createFastifyPlugin(vault.handler), { prefix: inner })
      },
      { prefix: outer },
    )
    const response = await app.inject({ url: path + itemUrl(vault), headers })
    expect(response.json()).toEqual(vault.item)
  })

  it('does not change the parsers of the app, and is not limited by its bodyLimit', async () => {
    const app = fastify({ bodyLimit: 100 })
    app.post('/echo', async ({ body }) => body)
    const vault = await createTestVault()
    app.register(createFastifyPlugin(vault.handler))
    const echoed = await app.inject({ method: 'POST', url: '/echo', payload: { a: 1 } })
    expect(echoed.json()).toEqual({ a: 1 })
    const title = 'a'.repeat(1000)
    const created = await app.inject({
      method: 'POST',
      url: vaultUrl(vault, '/items'),
      headers,
      payload: JSON.stringify(noteDraft(vault.vaultId, { title })),
    })
    expect(created.json()).toMatchObject({ title })
  })

  it('runs the hooks of the app: sends their headers and reads their streams', async () => {
    const vault = await createTestVault()
    const seen: unknown[] = []
    const app = fastify()
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('access-control-allow-origin', 'https://app.example')
    })
    app.addHook('preParsing', async (_request, _reply, payload) =>
      payload.pipe(
        new Transform({
          transform: (chunk, _encoding, done) => done(null, String(chunk).replace('old', 'new')),
        }),
      ),
    )
    app.addHook('onSend', async (_request, reply, payload) => {
      seen.push(reply.statusCode, JSON.parse(String(payload)).title)
    })
    app.register(createFastifyPlugin(vault.handler))
    const response = await app.inject({
      method: 'POST',
      url: vaultUrl(vault, '/items'),
      headers: { authorization: headers.authorization },
      payload: JSON.stringify(noteDraft(vault.vaultId, { title: 'old' })),
    })
    expect(seen).toEqual([200, 'new'])
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      etag: '"1"',
    })
  })

  it.each([
    ['the connection when no proxy is trusted', false, '127.0.0.1'],
    ['the client when a proxy is trusted', true, '192.0.2.7'],
  ])('passes the address of %s', async (_, trustProxy, address) => {
    const seen: unknown[] = []
    const handler: HttpHandler = async ({ remoteAddress }) => {
      seen.push(remoteAddress)
      return { status: 204, headers: {}, body: null }
    }
    const app = fastify({ trustProxy })
    app.register(createFastifyPlugin(handler))
    await app.inject({ url: '/', headers: { 'x-forwarded-for': '192.0.2.7' } })
    expect(seen).toEqual([address])
  })
})
