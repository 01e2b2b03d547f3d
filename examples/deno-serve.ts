/**
 * Serves a vault in a SQLite file with `Deno.serve`. `TOKEN_SHA256` is the SHA-256 of the token
 * with access to it, from `hashToken`.
 */

import { createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { openSqliteStore } from 'cofferkit/sqlite'
import { createTokenAuthenticator } from 'cofferkit/tokens'

/** The part of Deno's API that is used here, for compilers without Deno's types. */
declare const Deno: {
  readonly env: { get(name: string): string | undefined }
  serve(
    options: { readonly hostname: string; readonly port: number },
    handle: (request: Request) => Promise<Response>,
  ): unknown
}

const service = createVaultService({
  store: await openSqliteStore('vault.db'),
  strict: true,
})
const sha256 = Deno.env.get('TOKEN_SHA256') ?? ''
const authenticate = createTokenAuthenticator({
  tokens: [{ id: 'owner', sha256, vaults: '*' }],
})
const api = createHttpHandler(service, {
  authenticate: bearerAuth(authenticate),
  extensions: true,
})

const port = Number(Deno.env.get('PORT') ?? 8080)
Deno.serve({ hostname: '127.0.0.1', port }, createFetchHandler(api))
