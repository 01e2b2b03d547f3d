/**
 * Keeps your customers' credentials, such as their API keys: saves them, verifies them, and shows
 * them without their secrets. Each credential is one item of a vault.
 *
 * @example
 * ```ts
 * import { createCaller, createVaultService } from 'cofferkit'
 * import { createCredentials } from 'cofferkit/credentials'
 * import { createMemoryStore } from 'cofferkit/memory'
 *
 * const service = createVaultService({ store: createMemoryStore() })
 * const admin = createCaller({ id: 'admin', vaults: '*' })
 * const { id: vaultId } = await service.createVault(admin, { name: 'Acme' })
 * const credentials = createCredentials(service, {
 *   stripe: { fields: { key: {} }, origins: ['https://api.stripe.com'] },
 * })
 * const view = await credentials.of(admin, vaultId).save('stripe', { key: 'a key of 16 or more' })
 * ```
 *
 * @module cofferkit/credentials
 */

export {
  type CredentialHandlerOptions,
  createCredentialHandler,
} from './credentials/create-credential-handler.js'
export { type CredentialsOptions, createCredentials } from './credentials/create-credentials.js'
export type { CredentialStatus, CredentialView } from './credentials/credential-item.js'
export type {
  CredentialField,
  CredentialFieldId,
  CredentialFields,
  CredentialKind,
  CredentialKinds,
  CredentialName,
  CredentialValues,
} from './credentials/credential-kind.js'
export type {
  CredentialAccount,
  Credentials,
  CredentialViewOf,
  SavedCredentialValues,
  VaultCredentials,
} from './credentials/vault-credentials.js'
export type { VerifiedCredential } from './credentials/verify-values.js'
