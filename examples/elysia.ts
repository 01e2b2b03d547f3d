/** Mounts a vault in an Elysia app on Bun. Elysia strips the prefix. */

import { createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { createToken, createTokenAuthenticator } from 'cofferkit/tokens'
import { Elysia } from 'elysia'
import { visit } from './visit.js'

const { token, sha256 } = await createToken()
const tokens = [{ id: 'wendy', sha256, vaults: '*' }] as const
const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
const service = createVaultService({ store: createMemoryStore(), strict: true })
const api = createHttpHandler(service, { authenticate, extensions: true })

const app = new Elysia()
  .get('/', () => 'the app')
  .mount('/secrets', createFetchHandler(api))
  .listen({ hostname: '127.0.0.1', port: 0 })

await visit(`http://127.0.0.1:${app.server?.port}/secrets`, token)
await app.stop()
