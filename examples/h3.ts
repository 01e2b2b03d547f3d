/** Mounts a vault in an h3 app. h3 strips the prefix. */

import { createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { createToken, createTokenAuthenticator } from 'cofferkit/tokens'
import { H3, serve } from 'h3'
import { visit } from './visit.js'

const { token, sha256 } = await createToken()
const tokens = [{ id: 'wendy', sha256, vaults: '*' }] as const
const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
const service = createVaultService({ store: createMemoryStore(), strict: true })
const api = createHttpHandler(service, { authenticate, extensions: true })

const app = new H3()
app.get('/', () => 'the app')
app.mount('/secrets', createFetchHandler(api))

const server = serve(app, { hostname: '127.0.0.1', port: 0, silent: true })
await server.ready()
await visit(new URL('secrets', server.url).href, token)
await server.close(true)
