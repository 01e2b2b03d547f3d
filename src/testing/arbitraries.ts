/**
 * Arbitraries of fast-check for property tests: drafts, patches, filters, ids and strings, valid and
 * invalid. Needs the package fast-check, version 4.
 *
 * @example
 * ```ts
 * import fc from 'fast-check'
 * import { createTestVault } from 'cofferkit/testing'
 * import { arbitraryItemDraft } from 'cofferkit/testing/arbitraries'
 *
 * const { service, caller, vaultId } = await createTestVault()
 * await fc.assert(
 *   fc.asyncProperty(arbitraryItemDraft(), async (item) => {
 *     const { version } = await service.createItem(caller, { vaultId, item })
 *     return version === 1
 *   }),
 * )
 * ```
 * @module cofferkit/testing/arbitraries
 */

export {
  arbitraryFilter,
  arbitraryFilterValue,
  arbitraryInvalidFilter,
} from './arbitraries/arbitrary-filters.js'
export { arbitraryId, arbitraryInvalidId } from './arbitraries/ids.js'
export { arbitraryInvalidItemDraft } from './arbitraries/invalid-item-drafts.js'
export { arbitraryItemDraft } from './arbitraries/item-drafts.js'
export { arbitraryInvalidPatch, arbitraryPatch } from './arbitraries/patches.js'
export { arbitraryHostileString, arbitraryInvalidString } from './arbitraries/strings.js'
