/** Serves a vault from a worker, which stores it in Cloudflare D1. */

import { createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createTokenAuthenticator } from 'cofferkit/tokens'
import { type D1Database, openD1Store } from './d1-store.js'

type Fetch = (request: Request) => Promise<Response>

interface Environment {
  /** The SHA-256 of the token with access to the vaults, from `hashToken`. */
  readonly TOKEN_SHA256: string
  readonly DB: D1Database
}

/** The vault of this worker, from its first request on. */
let vault: Promise<Fetch> | undefined

async function openVault({ DB, TOKEN_SHA256 }: Environment): Promise<Fetch> {
  const service = createVaultService({ store: await openD1Store(DB) })
  const tokens = [{ id: 'owner', sha256: TOKEN_SHA256, vaults: '*' }] as const
  const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
  return createFetchHandler(
    createHttpHandler(service, { authenticate, extensions: true }),
  )
}

// biome-ignore lint/style/noDefaultExport: workers require a default export.
export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    vault ??= openVault(environment)
    // The next request tries again if the tables could not be created.
    vault.catch(() => {
      vault = undefined
    })
    return (await vault)(request)
  },
}
