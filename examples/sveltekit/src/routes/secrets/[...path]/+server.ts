/** A vault in a SvelteKit app, at /secrets. `TOKEN_SHA256` is what `hashToken` made of the token that opens it. */

import type { RequestHandler } from '@sveltejs/kit'
import { createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { createTokenAuthenticator } from 'cofferkit/tokens'

// A build loads this file and has no secrets: without one, nobody gets in.
const sha256 = process.env['TOKEN_SHA256']
const tokens = sha256 ? [{ id: 'owner', sha256, vaults: '*' } as const] : []
const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))

// In an app of your own the store is a database: what is in memory goes with the process.
const service = createVaultService({ store: createMemoryStore() })
const api = createHttpHandler(service, { authenticate, extensions: true, basePath: '/secrets' })
const answer = createFetchHandler(api)

/** Every method. */
export const fallback: RequestHandler = ({ request }) => answer(request)
