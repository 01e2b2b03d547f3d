import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectClaim, connectScopes, type VaultPermission } from '../../../src/auth/jwt/scopes.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

const vaultId = 'v'.repeat(26)
const ids = fc.stringMatching(/^[\da-z]{26}$/)
const rights = fc.constantFrom<VaultPermission>('read', 'write', 'read-write')

describe('connectScopes', () => {
  it('stand in the claim of the published service', () => {
    expect(connectScopes.claim).toBe('1password.com/vts')
  })

  it.each([
    [[], {}],
    [[{ u: vaultId, a: 48 }], { [vaultId]: 'read' }],
    [[{ u: vaultId, a: 448 }], { [vaultId]: 'write' }],
    [[{ u: vaultId, a: 496 }], { [vaultId]: 'read-write' }],
  ])('read %j as %j', (claim, expected) => {
    expect(connectScopes.parse(claim)).toEqual(expected)
  })

  it.each([
    `${vaultId}a`,
    `a${vaultId}`,
    `${vaultId}\n`,
    vaultId.slice(1),
    vaultId.toUpperCase(),
    '',
  ])('read nothing where the vault is %j', (u) => {
    expect(connectScopes.parse([{ u, a: 496 }])).toBeUndefined()
  })

  it('read nothing from a list in which one right is unknown, whatever the others are', () => {
    const known = new Set([48, 448, 496])
    fc.assert(
      fc.property(fc.uniqueArray(ids, { minLength: 1 }), fc.integer(), fc.nat(), (all, a, ref) => {
        fc.pre(!known.has(a))
        const claim = all.map((u) => ({ u, a: 496 }))
        expect(connectScopes.parse(claim)).toBeDefined()
        const changed = claim.map((entry, index) =>
          index === ref % all.length ? { ...entry, a } : entry,
        )
        expect(connectScopes.parse(changed)).toBeUndefined()
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('read any JSON without failing, and rights only from what they would write', () => {
    const entry = fc.record({
      u: fc.oneof(ids, fc.string(), fc.jsonValue()),
      a: fc.oneof(fc.constantFrom(48, 448, 496), fc.jsonValue()),
    })
    const claims = fc.oneof(fc.jsonValue(), fc.array(fc.oneof(entry, fc.jsonValue())))
    fc.assert(
      fc.property(claims, (claim) => {
        const read = connectScopes.parse(claim)
        if (read !== undefined && read !== '*')
          expect(sorted(connectClaim(read))).toEqual(sorted(claim))
      }),
      { numRuns: propertyRuns() },
    )
  })
})

describe('connectClaim', () => {
  it('is read as the rights it was made from', () => {
    fc.assert(
      fc.property(fc.dictionary(ids, rights), (vaults) => {
        expect(connectScopes.parse(connectClaim(vaults))).toEqual({ ...vaults })
      }),
      { numRuns: propertyRuns() },
    )
  })

  it.each<[string, Record<string, unknown>]>([
    ['an unknown right', { [vaultId]: 'admin' }],
    ['no right', { [vaultId]: undefined }],
    ['a malformed id', { vault: 'read' }],
    ['every vault', { '*': 'read-write' }],
  ])('is not made from %s: TypeError', (_what, vaults) => {
    const make = (): unknown => connectClaim(vaults as Record<string, VaultPermission>)
    expect(make).toThrow(new TypeError('vaults must be rights by vault id'))
  })
})

function sorted(claim: unknown): unknown[] {
  return (claim as unknown[]).map((entry) => JSON.stringify(entry, ['a', 'u'])).sort()
}
