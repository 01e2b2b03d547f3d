import { createServer } from 'node:http'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { createExpressHandler } from '../../src/adapters/express.js'
import type { HttpHandler } from '../../src/http/message.js'
import { noteDraft } from '../../src/testing/index.js'
import { createTestVault } from '../support/checked-answers.js'
import { itemUrl, vaultUrl } from '../support/requests.js'
import { listening } from '../support/serve.js'

const authorization = 'Bearer full-token'

describe('createExpressHandler', () => {
  it('is mounted in a router within a router, behind a parameter', async () => {
    const vault = await createTestVault()
    const tenants = express.Router().use('/secrets', createExpressHandler(vault.handler))
    await listening(createServer(express().use('/:tenant', tenants)), async (origin) => {
      const response = await fetch(`${origin}/acme/secrets${itemUrl(vault)}`, {
        headers: { authorization },
      })
      expect(await response.json()).toEqual(vault.item)
    })
  })

  it.each([
    ['bytes', express.raw({ type: 'application/json' })],
    ['an object', express.json()],
  ])('takes the body as %s that a parser has made of it', async (_, parser) => {
    const vault = await createTestVault()
    const app = express().use(parser, createExpressHandler(vault.handler))
    await listening(createServer(app), async (origin) => {
      const response = await fetch(origin + vaultUrl(vault, '/items'), {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(noteDraft(vault.vaultId, { title: 'Näme' })),
      })
      expect(await response.json()).toMatchObject({ title: 'Näme' })
    })
  })

  it('keeps the headers that were set before it', async () => {
    const vault = await createTestVault()
    const app = express()
    app.use((_req, res, next) => {
      res.setHeader('access-control-allow-origin', 'https://app.example')
      next()
    }, createExpressHandler(vault.handler))
    await listening(createServer(app), async (origin) => {
      const { status, headers } = await fetch(`${origin}/heartbeat`)
      expect([status, headers.get('access-control-allow-origin')]).toEqual([
        200,
        'https://app.example',
      ])
    })
  })

  it.each([
    ['the connection, if no proxy is trusted', false, /127\.0\.0\.1$/],
    ['the client, if a proxy is trusted', 'loopback', /^192\.0\.2\.7$/],
  ])('knows the address of %s', async (_, trusted, address) => {
    const seen: unknown[] = []
    const handler: HttpHandler = async ({ remoteAddress }) => {
      seen.push(remoteAddress)
      return { status: 204, headers: {}, body: null }
    }
    const app = express().set('trust proxy', trusted).use(createExpressHandler(handler))
    await listening(createServer(app), async (origin) => {
      await fetch(origin, { headers: { 'x-forwarded-for': '192.0.2.7' } })
    })
    expect(seen).toEqual([expect.stringMatching(address)])
  })
})
