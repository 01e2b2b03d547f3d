/**
 * Serves a vault in a SQLite file with `Bun.serve`. `TOKEN_SHA256` is the SHA-256 of the token
 * with access to it, from `hashToken`.
 */

import { createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { openSqliteStore } from 'cofferkit/sqlite'
import { createTokenAuthenticator } from 'cofferkit/tokens'

/** The part of Bun's API that is used here, for compilers without Bun's types. */
declare const Bun: {
  readonly env: Readonly<Record<'PORT' | 'TOKEN_SHA256', string | undefined>>
  serve(options: {
    readonly hostname: string
    readonly port: number
    fetch(request: Request): Promise<Response>
  }): { readonly url: URL }
}

const { PORT = '8080', TOKEN_SHA256: sha256 = '' } = Bun.env
const service = createVaultService({
  store: await openSqliteStore('vault.db'),
  strict: true,
})
const authenticate = createTokenAuthenticator({
  tokens: [{ id: 'owner', sha256, vaults: '*' }],
})
const api = createHttpHandler(service, {
  authenticate: bearerAuth(authenticate),
  extensions: true,
})

const handle = createFetchHandler(api)
const { url } = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  fetch: (request) => handle(request),
})
console.log(`Listening on ${url}`)
