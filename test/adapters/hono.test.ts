import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { describe, expect, it } from 'vitest'
import { createFetchHandler } from '../../src/adapters/fetch.js'
import { createHonoHandler } from '../../src/adapters/hono.js'
import type { TestVault } from '../../src/testing.js'
import { noteDraft } from '../support/drafts.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { itemUrl, vaultUrl } from '../support/http/requests.js'
import { withServer } from '../support/http/serve.js'
import { readUntilClosed, sendRaw } from '../support/http/wire.js'

const headers = { authorization: 'Bearer full-token', 'content-type': 'application/json' }

describe('createHonoHandler', () => {
  const places: readonly [string, string, (vault: TestVault) => Hono][] = [
    ['at the root', '', ({ handler }) => new Hono().all('*', createHonoHandler(handler))],
    [
      'under a prefix with a parameter',
      '/acme/secrets',
      ({ handler }) => new Hono().all('/:tenant/secrets/*', createHonoHandler(handler)),
    ],
    [
      'in an app with a base path',
      '/api/secrets',
      ({ handler }) => new Hono().basePath('/api').all('/secrets/*', createHonoHandler(handler)),
    ],
    [
      'in an app that is a route of another',
      '/api/secrets',
      ({ handler }) => {
        const inner = new Hono().all('/secrets/*', createHonoHandler(handler))
        inner.onError((_error, context) => context.body(null, 500))
        return new Hono().route('/api', inner)
      },
    ],
    [
      'in an app that another forwards to',
      '/api/secrets',
      ({ handler }) => {
        const inner = new Hono().all('/secrets/*', createHonoHandler(handler))
        return new Hono().mount('/api', inner.fetch)
      },
    ],
    [
      'behind a middleware of its route',
      '/secrets',
      ({ handler }) =>
        new Hono()
          .use('/secrets/*', (_context, next) => next())
          .all('/secrets/*', (context) => createHonoHandler(handler)(context)),
    ],
  ]

  it.each(places)('is mounted %s', async (_, prefix, appFor) => {
    const vault = await createTestVault()
    const app = appFor(vault)
    const response = await app.request(prefix + itemUrl(vault), { headers })
    expect(await response.json()).toEqual(vault.item)
    await withServer(createAdaptorServer(app) as import('node:http').Server, async (origin) => {
      const onNode = await fetch(origin + prefix + itemUrl(vault), { headers })
      expect(await onNode.json()).toEqual(vault.item)
    })
  })

  it.each([
    ['as JSON', async (request: { json(): Promise<unknown> }) => request.json()],
    ['as text', async (request: { text(): Promise<string> }) => request.text()],
  ])('accepts a body that the app has read before, %s', async (_, read) => {
    const vault = await createTestVault()
    const app = new Hono()
      .use(async ({ req }, next) => {
        await read(req)
        await next()
      })
      .all('*', createHonoHandler(vault.handler))
    expect(await (await create(app, vault)).json()).toMatchObject({ title: 'Näme' })
  })

  it('accepts a body behind bodyLimit', async () => {
    const vault = await createTestVault()
    const app = new Hono()
      .use(bodyLimit({ maxSize: 1_048_576 }))
      .all('*', createHonoHandler(vault.handler))
    expect(await (await create(app, vault)).json()).toMatchObject({ title: 'Näme' })
  })

  it('uses the target that the client sent when it runs on Node', async () => {
    const vault = await createTestVault()
    const app = new Hono().all('/secrets/*', createHonoHandler(vault.handler))
    await withServer(createAdaptorServer(app) as import('node:http').Server, async (origin) => {
      const statusOf = async (target: string): Promise<string | undefined> => {
        const lines = [`GET ${target} HTTP/1.1`, 'connection: close']
        const text = await readUntilClosed(await sendRaw(origin, lines))
        return /^HTTP\/1.1 (\d+)/.exec(text)?.[1]
      }
      expect(await statusOf('/secrets/heartbeat')).toBe('200')
      for (const target of [
        '/open/../secrets/heartbeat',
        '/secrets/x/../heartbeat',
        '/secrets/./heartbeat',
      ])
        expect(await statusOf(target)).toBe('404')
    })
  })

  it.each([
    ['no value', undefined],
    ['bindings of a worker', { KV: {}, incoming: { url: {} } }],
    ['an invalid target', { incoming: { url: '//[' } }],
  ])('responds when the environment has %s', async (_, env) => {
    const vault = await createTestVault()
    const app = new Hono().all('/secrets/*', createHonoHandler(vault.handler))
    const response = await app.request(`/secrets${itemUrl(vault)}`, { headers }, env)
    expect(response.status).toBe(200)
  })
})

describe('createFetchHandler in app.mount', () => {
  it('needs no prefix', async () => {
    const vault = await createTestVault()
    const app = new Hono().mount('/secrets', createFetchHandler(vault.handler))
    const response = await app.request(`/secrets${itemUrl(vault)}`, { headers })
    expect(await response.json()).toEqual(vault.item)
  })
})

async function create(app: Hono, vault: TestVault): Promise<Response> {
  const body = JSON.stringify(noteDraft(vault.vaultId, { title: 'Näme' }))
  return app.request(vaultUrl(vault, '/items'), { method: 'POST', headers, body })
}
