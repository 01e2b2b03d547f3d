/**
 * OAuth tokens: grants of customers are kept in items, and each is refreshed once per expiry,
 * however many processes need it. A refresh token that is used twice makes a provider revoke the
 * grant (RFC 9700, section 4.14.2).
 *
 * @example
 * ```ts
 * import { createCaller, createVaultService } from 'cofferkit'
 * import { createMemoryStore } from 'cofferkit/memory'
 * import { createTokenKeeper, type TokenKeeperOptions } from 'cofferkit/oauth'
 *
 * export function createTokens(refresh: TokenKeeperOptions['refresh']) {
 *   const store = createMemoryStore()
 *   const service = createVaultService({ store })
 *   const caller = createCaller('token-keeper', '*')
 *   return createTokenKeeper(service, { leases: store.records, caller, refresh })
 * }
 * ```
 *
 * @module cofferkit/oauth
 */

export type { GrantName, NewGrant, TokenSet } from './oauth/grant.js'
export {
  type AccessTokenOptions,
  createTokenKeeper,
  type TokenKeeper,
  type TokenKeeperOptions,
  type TokenRefresh,
} from './oauth/token-keeper.js'
