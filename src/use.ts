/**
 * Uses secrets without showing them: a `fetch` that fills secrets into requests and masks them in
 * responses, and the redactor that masks them.
 *
 * @example
 * ```ts
 * import { createCaller, createVaultService } from 'cofferkit'
 * import { createMemoryStore } from 'cofferkit/memory'
 * import { createSecretFetch, vaultSecrets } from 'cofferkit/use'
 *
 * const service = createVaultService({ store: createMemoryStore() })
 * const secretFetch = createSecretFetch(vaultSecrets(service, createCaller({ id: 'agent', vaults: '*' })))
 * const headers = { authorization: 'Bearer {{ op://Team/Example/key }}' }
 * const response = await secretFetch('https://api.example.com', { headers })
 * ```
 *
 * @module cofferkit/use
 */

export { createRedactor, type Redactor } from './use/create-redactor.js'
export {
  createSecretFetch,
  type SecretFetchOptions,
  type SecretUse,
} from './use/create-secret-fetch.js'
export {
  createSecretRelay,
  type RelayFetch,
  type SecretFetchFor,
  type SecretRelayOptions,
} from './use/create-secret-relay.js'
export { isRefusal } from './use/refusal.js'
export type {
  FoundSecret,
  FoundSecrets,
  ItemReference,
  ReadSecret,
  SecretSource,
  SecretTarget,
  ValueReference,
} from './use/secret-source.js'
export type { FilledInit } from './use/send-request.js'
export type { SignRequest } from './use/sign-request.js'
export {
  type AccessTokenSource,
  type VaultSecretsOptions,
  vaultSecrets,
} from './use/vault-secrets.js'
