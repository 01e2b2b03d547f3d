import { createServer } from 'node:http'
import { inspect } from 'node:util'
import express from 'express'
import { describe, expect, it, vi } from 'vitest'
import { createExpressHandler } from '../../src/adapters/express.js'
import type { HttpHandler } from '../../src/http/message.js'
import { noteDraft } from '../support/drafts.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { expressVersions } from '../support/http/frameworks.js'
import { itemUrl, vaultUrl } from '../support/http/requests.js'
import { withServer } from '../support/http/serve.js'

const authorization = 'Bearer full-token'

describe('createExpressHandler', () => {
  it('is mounted in a router within a router, under a parameter', async () => {
    const vault = await createTestVault()
    const tenants = express.Router().use('/secrets', createExpressHandler(vault.handler))
    await withServer(createServer(express().use('/:tenant', tenants)), async (origin) => {
      const response = await fetch(`${origin}/acme/secrets${itemUrl(vault)}`, {
        headers: { authorization },
      })
      expect(await response.json()).toEqual(vault.item)
    })
  })

  it.each([
    ['bytes', express.raw({ type: 'application/json' })],
    ['an object', express.json()],
  ])('accepts a body that a parser has converted to %s', async (_, parser) => {
    const vault = await createTestVault()
    const app = express().use(parser, createExpressHandler(vault.handler))
    await withServer(createServer(app), async (origin) => {
      const response = await fetch(origin + vaultUrl(vault, '/items'), {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(noteDraft(vault.vaultId, { title: 'Näme' })),
      })
      expect(await response.json()).toMatchObject({ title: 'Näme' })
    })
  })

  it('keeps the headers of middleware before it', async () => {
    const vault = await createTestVault()
    const app = express()
    app.use((_req, res, next) => {
      res.setHeader('access-control-allow-origin', 'https://app.example')
      next()
    }, createExpressHandler(vault.handler))
    await withServer(createServer(app), async (origin) => {
      const { status, headers } = await fetch(`${origin}/heartbeat`)
      expect([status, headers.get('access-control-allow-origin')]).toEqual([
        200,
        'https://app.example',
      ])
    })
  })

  it.each([
    ['the connection when no proxy is trusted', false, /127\.0\.0\.1$/],
    ['the client when a proxy is trusted', 'loopback', /^192\.0\.2\.7$/],
  ])('passes the address of %s', async (_, trusted, address) => {
    const seen: unknown[] = []
    const handler: HttpHandler = async ({ remoteAddress }) => {
      seen.push(remoteAddress)
      return { status: 204, headers: {}, body: null }
    }
    const app = express().set('trust proxy', trusted).use(createExpressHandler(handler))
    await withServer(createServer(app), async (origin) => {
      await fetch(origin, { headers: { 'x-forwarded-for': '192.0.2.7' } })
    })
    expect(seen).toEqual([expect.stringMatching(address)])
  })
})

describe.each(expressVersions)(
  'createExpressHandler and malformed bodies in %s',
  (name, express) => {
    const secret = 'correct horse battery staple'

    /** Returns what error handlers and the log of Express get when a secret is in malformed JSON. */
    async function sendMalformed(mount: (app: express.Express, vault: express.Handler) => void) {
      const vault = await createTestVault()
      const app = express().set('env', 'development')
      mount(app, createExpressHandler(vault.handler))
      const errors: unknown[] = []
      const onError: express.ErrorRequestHandler = (error, _req, _res, next) => {
        errors.push(error)
        next(error)
      }
      const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
      const status = await withServer(createServer(app.use(onError)), async (origin) => {
        const response = await fetch(`${origin}/secrets${vaultUrl(vault, '/items')}`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: `{"fields":[{"value":"${secret}"}],}`,
        })
        await response.text()
        // Express logs after it has sent the response.
        await new Promise((resolve) => setTimeout(resolve, 20))
        return response.status
      })
      const log = logged.mock.calls.map((words) => words.map((word) => inspect(word)).join(' '))
      logged.mockRestore()
      return { status, errors, log: log.join('\n') }
    }

    it('leaks into the error of a parser before the vault and the log of Express 5', async () => {
      const { status, errors, log } = await sendMalformed((app, vault) => {
        app.use(express.json()).use('/secrets', vault)
      })
      expect(status).toBe(400)
      expect(errors).toEqual([expect.objectContaining({ body: expect.stringContaining(secret) })])
      expect(log.includes(secret)).toBe(name === 'Express 5')
    })

    it.each<[string, (app: express.Express, vault: express.Handler) => void]>([
      ['before the parser', (app, vault) => app.use('/secrets', vault).use(express.json())],
      ['beside a parser', (app, vault) => app.use('/api', express.json()).use('/secrets', vault)],
    ])('does not leak into errors or logs when the vault is mounted %s', async (_, mount) => {
      expect(await sendMalformed(mount)).toEqual({ status: 400, errors: [], log: '' })
    })
  },
)
