/**
 * A ready test vault with fixed clock and randomness, a store that fails on demand, item drafts, and
 * contract cases for stores and mounts. Imports no test runner.
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

export type { ContractCase } from './testing/contract-case.js'
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
export { createFaultyStore, type Fault, type StoreCall } from './testing/faulty-store.js'
export type { HandlerServer } from './testing/hostile/hostile-case.js'
export { hostileRequests } from './testing/hostile/hostile-requests.js'
export { type HttpTarget, httpContract } from './testing/http/http-contract.js'
export { loginDraft, noteDraft } from './testing/item-drafts.js'
export { blobStoreContract } from './testing/stores/blob-store-contract.js'
export { recordStoreContract } from './testing/stores/record-store-contract.js'
export { createTestVault, type TestTokens, type TestVault } from './testing/test-vault.js'
