/** A vault on `Deno.serve`, in a SQLite file. `TOKEN_SHA256` is what `hashToken` made of the token that opens it. */

import { createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { openSqliteStore } from 'cofferkit/sqlite'
import { createTokenAuthenticator } from 'cofferkit/tokens'

/** What is used here of Deno, for compilers that do not know it. */
declare const Deno: {
  readonly env: { get(name: string): string | undefined }
  serve(
    options: { readonly hostname: string; readonly port: number },
    answer: (request: Request) => Promise<Response>,
  ): unknown
}

const service = createVaultService({ store: await openSqliteStore('vault.db') })
const sha256 = Deno.env.get('TOKEN_SHA256') ?? ''
const authenticate = createTokenAuthenticator({ tokens: [{ id: 'owner', sha256, vaults: '*' }] })
const api = createHttpHandler(service, { authenticate: bearerAuth(authenticate), extensions: true })

const port = Number(Deno.env.get('PORT') ?? 8080)
Deno.serve({ hostname: '127.0.0.1', port }, createFetchHandler(api))
