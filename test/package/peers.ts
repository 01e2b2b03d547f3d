/** Uses the types of the subpaths that need an optional peer. The package test compiles it. */

import { arbitraryItemDraft } from 'cofferkit/testing/arbitraries'
import { vaultMatchers } from 'cofferkit/testing/vitest'
import fc from 'fast-check'
import { expect } from 'vitest'

expect.extend(vaultMatchers)
expect({ status: 404 }).toBeVaultError('NOT_FOUND')
expect({ fields: [] }).not.toHaveField('password', expect.any(String))
expect('text').toContainNoSecret(['hunter2'])
// @ts-expect-error: not the code of an error.
expect({}).toBeVaultError('MISSING')

fc.assert(fc.property(arbitraryItemDraft(), ({ category }) => category !== 'CUSTOM'))
