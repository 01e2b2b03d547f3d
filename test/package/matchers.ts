/** Uses the matchers with the types of Vitest. The package test compiles it. */

import { type VaultMatchers, vaultMatchers } from 'cofferkit/testing'
import { expect } from 'vitest'

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends VaultMatchers<R> {}
}

expect.extend(vaultMatchers)
expect({ status: 404 }).toBeVaultError('NOT_FOUND')
expect({ fields: [] }).not.toHaveField('password', expect.any(String))
expect('text').toContainNoSecret(['hunter2'])
// @ts-expect-error: not the code of an error.
expect({}).toBeVaultError('MISSING')
