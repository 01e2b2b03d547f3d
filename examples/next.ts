/**
 * Mounts a vault in a Next.js app at /secrets. `TOKEN_SHA256` is the SHA-256 of the token with
 * access to it, from `hashToken`.
 */

import { createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { createTokenAuthenticator } from 'cofferkit/tokens'

// A build loads this file without secrets. Without a token, every request is rejected.
const sha256 = process.env['TOKEN_SHA256']
const tokens = sha256 ? [{ id: 'owner', sha256, vaults: '*' } as const] : []
const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))

// In your app, use a database as the store: memory is lost with the process.
const service = createVaultService({ store: createMemoryStore(), strict: true })
const api = createHttpHandler(service, {
  authenticate,
  extensions: true,
  basePath: '/secrets',
})
const handle = createFetchHandler(api)

export {
  handle as DELETE,
  handle as GET,
  handle as PATCH,
  handle as POST,
  handle as PUT,
}
