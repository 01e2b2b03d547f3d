/** Adds the matchers of cofferkit to `expect`. */

import { type VaultMatchers, vaultMatchers } from 'cofferkit/testing'
import { expect } from 'vitest'

expect.extend(vaultMatchers)

declare module 'vitest' {
  interface Matchers<
    R extends void | Promise<void> = void | Promise<void>,
    T = unknown,
  > extends VaultMatchers<R> {}
}
