import { once } from 'node:events'
import { connect } from 'node:http2'
import type { FastifyInstance } from 'fastify'
import { describe, expect, it } from 'vitest'
import { createFastifyPlugin } from '../../src/adapters/fastify.js'
import type { TestVault } from '../../src/testing.js'
import { noteDraft } from '../support/drafts.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { fastifyVersions } from '../support/http/frameworks.js'
import { itemUrl, vaultUrl } from '../support/http/requests.js'
import { withServer } from '../support/http/serve.js'
import { inTime, readUntilClosed, sendRaw } from '../support/http/wire.js'

const malformed = [
  '',
  ';;',
  'json',
  'a/b/c',
  '/json',
  'a b/c',
  'application/json, application/json',
]

describe.each(fastifyVersions)('createFastifyPlugin content types in %s', (_, fastify) => {
  /** Returns the text of the response to a request with a JSON body and these headers. */
  async function send(
    app: FastifyInstance,
    target: string,
    body: string,
    ...headers: readonly string[]
  ): Promise<string> {
    await app.ready()
    return withServer(app.server, async (origin) => {
      const lines = [`content-length: ${body.length}`, 'connection: close', ...headers]
      const socket = await sendRaw(origin, [`${target} HTTP/1.1`, ...lines], body)
      return inTime('the response', readUntilClosed(socket))
    })
  }

  function mounted(vault: TestVault, app: FastifyInstance = fastify()): FastifyInstance {
    app.register(createFastifyPlugin(vault.handler))
    return app
  }

  /** Returns the response to a request for a new item with a body of this content type. */
  function create(
    vault: TestVault,
    body: string,
    type: string,
    ...headers: readonly string[]
  ): Promise<string> {
    const target = `POST ${vaultUrl(vault, '/items')}`
    return send(mounted(vault), target, body, `content-type: ${type}`, ...headers)
  }

  it.each(malformed)(
    'responds with 401 without a token when the content type is "%s"',
    async (type) => {
      const vault = await createTestVault()
      const text = await create(vault, '{}', type)
      expect(text).toMatch(/^HTTP\/1.1 401 .*www-authenticate: Bearer\r\n.*"status":401/s)
    },
  )

  it.each(malformed)(
    'responds with 415 in the form of the vault when the content type is "%s"',
    async (type) => {
      const vault = await createTestVault()
      const text = await create(vault, '{}', type, 'authorization: Bearer full-token')
      expect(text).toMatch(/^HTTP\/1.1 415 .*x-request-id: .*the body must be JSON in UTF-8/s)
      expect(text).not.toContain('FST_ERR')
    },
  )

  it.each(['application/json', 'Application/JSON ; charset="utf-8"'])(
    'accepts a body with the content type %s',
    async (type) => {
      const vault = await createTestVault()
      const draft = JSON.stringify(noteDraft(vault.vaultId))
      const text = await create(vault, draft, type, 'authorization: Bearer full-token')
      expect(text).toMatch(/^HTTP\/1.1 200 /)
    },
  )

  it('runs every hook of the app when the content type is malformed', async () => {
    const vault = await createTestVault()
    const app = fastify()
    const seen: string[] = []
    app.addHook('preParsing', async ({ headers }) => {
      seen.push(`preParsing ${headers['content-type']} ${headers['x-app']}`)
    })
    app.addHook('preValidation', async ({ headers }) => {
      seen.push(`preValidation ${headers['content-type']} ${headers['x-app']}`)
    })
    app.addHook('preHandler', async ({ raw }) => {
      seen.push(`preHandler ${raw.headers['content-type']}`)
    })
    const text = await send(
      mounted(vault, app),
      `DELETE ${itemUrl(vault)}`,
      '{}',
      'authorization: Bearer full-token',
      'content-type: ;;',
      'x-app: 1',
    )
    expect(text).toMatch(/^HTTP\/1.1 204 /)
    expect(seen).toEqual(['preParsing ;; 1', 'preValidation undefined 1', 'preHandler ;;'])
  })

  it('accepts a body on HTTP/2 without a content type and a length', async () => {
    const vault = await createTestVault()
    const app = fastify({ http2: true })
    app.register(createFastifyPlugin(vault.handler))
    await app.ready()
    await withServer(app.server, async (origin) => {
      const client = connect(origin)
      const authorization = 'Bearer full-token'
      const target = { ':method': 'POST', ':path': vaultUrl(vault, '/items'), authorization }
      const stream = client.request(target).end(JSON.stringify(noteDraft(vault.vaultId)))
      const [headers] = await inTime('the response', once(stream, 'response'))
      client.destroy()
      expect(headers[':status']).toBe(200)
    })
  })

  it('does not change the content types of the rest of the app', async () => {
    const vault = await createTestVault()
    const app = fastify()
    app.post('/mine', async ({ headers }) => `mine ${headers['content-type']}`)
    app.register(createFastifyPlugin(vault.handler), { prefix: '/secrets' })
    const text = await send(app, 'POST /mine', '{}', 'content-type: ;;')
    expect(text).toContain(' 415 ')
    expect(text).toContain('FST_ERR_CTP_INVALID_MEDIA_TYPE')
  })
})
