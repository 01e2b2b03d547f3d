/**
 * Uses the types of the subpaths that do not depend on Node, in a project without the types of
 * Node.
 */

import { createCaller, createVaultService, type VaultService } from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import { createCredentials } from 'cofferkit/credentials'
import { createFetchHandler } from 'cofferkit/fetch'
import { createHonoHandler } from 'cofferkit/hono'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createJwtAuthenticator, type JwtKey } from 'cofferkit/jwt'
import { createMemoryStore } from 'cofferkit/memory'
import { createTokenKeeper, vaultGrants } from 'cofferkit/oauth'
import { createReferenceResolver } from 'cofferkit/references'
import { createItemRules } from 'cofferkit/rules'
import { createTokenAuthenticator } from 'cofferkit/tokens'
import { createRedactor, createSecretFetch, createSecretRelay, vaultSecrets } from 'cofferkit/use'

export const service: VaultService = createVaultService({
  store: createMemoryStore(),
  dialect: connectDialect,
})

export function worker(keys: readonly JwtKey[]): readonly unknown[] {
  const authenticator = createJwtAuthenticator({ issuer: 'issuer', audience: 'vault', keys })
  const handler = createHttpHandler(service, { authenticate: bearerAuth(authenticator) })
  return [
    createFetchHandler(handler),
    createHonoHandler(handler),
    createTokenAuthenticator({ tokens: [] }),
    createCredentials(service, { stripe: { fields: { key: {} } } }),
    createReferenceResolver(service, createCaller({ id: 'wendy', vaults: '*' })),
    createSecretFetch(vaultSecrets(service, createCaller({ id: 'wendy', vaults: '*' }))),
    createSecretRelay(() => fetch, { authenticate: () => undefined, fetch }),
    createRedactor(['']).stream(),
    createTokenKeeper,
    vaultGrants(service, createCaller({ id: 'wendy', vaults: '*' })),
    createItemRules(),
  ]
}
