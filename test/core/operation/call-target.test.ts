import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { targetOf } from '../../../src/core/operation/call-target.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

const vaultId = 'v'.repeat(26)
const itemId = '0'.repeat(26)

describe('targetOf', () => {
  it.each([
    [
      { vaultId, itemId, fileId: itemId, name: 'x' },
      { vaultId, itemId },
    ],
    [{ vaultId }, { vaultId }],
    [{ itemId }, { itemId }],
    [{ vaultId: `${vaultId}v`, itemId }, { itemId }],
    [{ vaultId: vaultId.toUpperCase(), itemId: `${itemId}\n` }, {}],
    [{ vaultId: [vaultId], itemId: { toString: () => itemId } }, {}],
    [[vaultId], {}],
    [vaultId, {}],
    [undefined, {}],
    [null, {}],
    [7, {}],
  ])('returns the valid ids of %j', (input, ids) => {
    expect(targetOf(input)).toEqual(ids)
  })

  it('returns nothing but valid ids for any input', () => {
    const id = fc.oneof(fc.string(), fc.constantFrom(vaultId, itemId), fc.anything())
    fc.assert(
      fc.property(fc.oneof(fc.record({ vaultId: id, itemId: id }), fc.anything()), (input) => {
        for (const value of Object.values(targetOf(input))) expect(value).toMatch(/^[\da-z]{26}$/)
      }),
      { numRuns: propertyRuns() },
    )
  })
})
