/** Uses the types of the matchers. The package test compiles it beside Vitest. */

import { vaultMatchers } from 'cofferkit/testing/vitest'
import { expect } from 'vitest'

expect.extend(vaultMatchers)
expect({ status: 404 }).toBeVaultError('NOT_FOUND')
expect({ fields: [] }).not.toHaveField('password', expect.any(String))
expect('text').toContainNoSecret(['hunter2'])
// @ts-expect-error: not the code of an error.
expect({}).toBeVaultError('MISSING')
