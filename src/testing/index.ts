/**
 * Contracts for those who write stores and mounts, as cases for any test runner, and what is needed to test against a
 * vault: a ready one, a clock, randomness, drafts, a store that fails.
 * @module cofferkit/testing
 */

export { blobStoreContract } from './blob-store-contract.js'
export type { ContractCase } from './contract.js'
export { type Fault, faultyStore, type StoreCall } from './faulty-store.js'
export type { HandlerMount } from './hostile-case.js'
export { hostileRequests } from './hostile-requests.js'
export { httpContract, type MountUnderTest } from './http-contract.js'
export { loginDraft, noteDraft } from './item-drafts.js'
export { recordStoreContract } from './record-store-contract.js'
export { seededRandomBytes } from './seeded-random-bytes.js'
export { type TestClock, testClock } from './test-clock.js'
export { createTestVault, type TestTokens, type TestVault } from './test-vault.js'
