/**
 * Resolves secret references such as `op://Team/Database/password`: one by one, in templates, and
 * in environment variables.
 *
 * @example
 * ```ts
 * import { createCaller, createVaultService } from 'cofferkit'
 * import { createMemoryStore } from 'cofferkit/memory'
 * import { createReferenceResolver } from 'cofferkit/references'
 *
 * const service = createVaultService({ store: createMemoryStore() })
 * const references = createReferenceResolver(service, createCaller({ id: 'deploy', vaults: '*' }))
 * const env = await references.resolveEnv({ PORT: '80', PASSWORD: 'op://Team/Database/password' })
 * ```
 *
 * @module cofferkit/references
 */

export {
  createReferenceResolver,
  type ReferenceResolver,
  type ReferenceResolverOptions,
  type ResolvedEnv,
} from './references/create-reference-resolver.js'
export {
  formatSecretReference,
  parseSecretReference,
  type ReferenceAttribute,
  type SecretReference,
} from './references/secret-reference.js'
