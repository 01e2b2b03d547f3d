/**
 * Matchers for `expect` of Vitest, version 5 for their types. `expect` of Jest takes the same
 * object. No message of a failure contains a value.
 *
 * @example
 * ```ts
 * import { createTestVault } from 'cofferkit/testing'
 * import { vaultMatchers } from 'cofferkit/testing/vitest'
 * import { expect, test } from 'vitest'
 *
 * expect.extend(vaultMatchers)
 *
 * test('has a password', async () => {
 *   const { item } = await createTestVault()
 *   expect(item).toHaveField('password', 'correct horse')
 * })
 * ```
 * @module cofferkit/testing/vitest
 */

import type { VaultMatchers } from './matchers/vault-matchers.js'

export {
  type MatcherContext,
  type MatcherResult,
  type VaultMatchers,
  vaultMatchers,
} from './matchers/vault-matchers.js'

declare module 'vitest' {
  // The parameters must be those of the interface that this one extends.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends VaultMatchers<R> {}
}
