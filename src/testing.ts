/**
 * Contracts for those who write stores and mounts, as cases for any test runner, and what is needed to test against a
 * vault: a ready one, a clock, randomness, drafts, a store that fails.
 * @module cofferkit/testing
 */

export type { ContractCase } from './testing/contract-case.js'
export {
  createSeededRandomBytes,
  createTestClock,
  type TestClock,
} from './testing/deterministic.js'
export { createFaultyStore, type Fault, type StoreCall } from './testing/faulty-store.js'
export type { HandlerServer } from './testing/hostile/hostile-case.js'
export { hostileRequests } from './testing/hostile/hostile-requests.js'
export { type HttpTarget, httpContract } from './testing/http/http-contract.js'
export { loginDraft, noteDraft } from './testing/item-drafts.js'
export { blobStoreContract } from './testing/stores/blob-store-contract.js'
export { recordStoreContract } from './testing/stores/record-store-contract.js'
export { createTestVault, type TestTokens, type TestVault } from './testing/test-vault.js'
