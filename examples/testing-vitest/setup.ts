/** Adds the matchers of cofferkit to `expect`. */

import { vaultMatchers } from 'cofferkit/testing/vitest'
import { expect } from 'vitest'

expect.extend(vaultMatchers)
