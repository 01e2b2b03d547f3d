/**
 * Everything to test an app with a vault: an in-memory vault with a fixed clock and seeded
 * randomness that can be saved, reset, copied and killed, a store that fails on demand, item
 * drafts, matchers, and contract cases for stores, mounts and sources of grants. It imports no test
 * runner.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict'
 * import { createTestVault } from 'cofferkit/testing'
 *
 * const { service, caller, vaultId } = await createTestVault()
 * const [item] = await service.listItems(caller, { vaultId })
 * assert.equal(item?.title, 'Example')
 * ```
 * @module cofferkit/testing
 */

export type { ContractCase } from './base/contract-case.js'
export {
  type ContractTest,
  createContractTests,
  type OnCleanup,
} from './testing/create-contract-tests.js'
export {
  createSeededRandomBytes,
  createTestClock,
  type TestClock,
} from './testing/deterministic.js'
export type { CategoryFields } from './testing/drafts/field-ids.js'
export { type DraftChanges, itemDraft } from './testing/drafts/item-draft.js'
export { createFaultyStore, type Fault } from './testing/faulty-store.js'
export { type HttpTarget, httpContract, type PlatformLimits } from './testing/http/http-contract.js'
export {
  type MatcherContext,
  type MatcherResult,
  type VaultMatchers,
  vaultMatchers,
} from './testing/matchers/vault-matchers.js'
export { type GrantSubject, grantSourceContract } from './testing/oauth/grant-source-contract.js'
export {
  type PlantedVault,
  parseSeed,
  plantSeed,
  type Seed,
  type SeedFile,
  type SeedItem,
  type SeedVault,
} from './testing/seed.js'
export type { StoreCall } from './testing/store-calls.js'
export { blobStoreContract } from './testing/stores/blob-store-contract.js'
export { recordStoreContract } from './testing/stores/record-store-contract.js'
export {
  createTestVault,
  type TestHandlerOptions,
  type TestTokens,
  type TestVault,
  type TestVaultOptions,
  type TestWorld,
} from './testing/test-vault.js'
export type { ListeningVault } from './testing/world/connections.js'
export type { RequestFault } from './testing/world/request-faults.js'
export type { CrashPoint, VaultSnapshot } from './testing/world/world.js'
