/**
 * OAuth tokens: each customer's grant is refreshed once per expiry, even when many processes need
 * it. The grants are in items or in your own table. If a refresh token is used twice, the provider
 * revokes the grant (RFC 9700, section 4.14.2).
 *
 * @example
 * ```ts
 * import { createCaller, createVaultService } from 'cofferkit'
 * import { createMemoryStore } from 'cofferkit/memory'
 * import { createTokenKeeper, vaultGrants } from 'cofferkit/oauth'
 *
 * const store = createMemoryStore()
 * const service = createVaultService({ store })
 * const grants = vaultGrants(service, createCaller({ id: 'token-keeper', vaults: '*' }))
 * const refresh = async () => ({ accessToken: 'a2', refreshToken: 'r2', expiresInSeconds: 3600 })
 * const keeper = createTokenKeeper({ grants, leases: store.records, refresh })
 * ```
 *
 * @module cofferkit/oauth
 */

export type { FoundGrantItem, GrantName, SaveGrantInput } from './oauth/grant-item.js'
export type { FoundGrant, GrantRows, GrantSource } from './oauth/grant-source.js'
export {
  type GrantState,
  type GrantStatus,
  newGrant,
  type StoredGrant,
  type TokenSet,
} from './oauth/stored-grant.js'
export { createTokenKeeper, type TokenKeeper } from './oauth/token-keeper.js'
export type {
  AccessTokenOptions,
  RevokeToken,
  RevokeUse,
  TokenKeeperOptions,
  TokenRefresh,
} from './oauth/token-keeper-options.js'
export {
  type ListedGrant,
  type VaultGrants,
  vaultGrants,
} from './oauth/vault-grants.js'
