import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  claimedVaults,
  connectScopes,
  toConnectClaim,
  type VaultPermission,
} from '../../../src/auth/jwt/scopes.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

const vaultId = 'v'.repeat(26)
const ids = fc.stringMatching(/^[\da-z]{26}$/)
const permissions = fc.constantFrom<VaultPermission>('read', 'write', 'read-write')

describe('connectScopes', () => {
  it('reads the claim of the published service', () => {
    expect(connectScopes.claim).toBe('1password.com/vts')
  })

  it.each([
    [[], {}],
    [[{ u: vaultId, a: 48 }], { [vaultId]: 'read' }],
    [[{ u: vaultId, a: 448 }], { [vaultId]: 'write' }],
    [[{ u: vaultId, a: 496 }], { [vaultId]: 'read-write' }],
  ])('parses %j as %j', (claim, expected) => {
    expect(connectScopes.parse(claim)).toEqual(expected)
  })

  it.each([
    `${vaultId}a`,
    `a${vaultId}`,
    `${vaultId}\n`,
    vaultId.slice(1),
    vaultId.toUpperCase(),
    '',
  ])('returns undefined when the vault is %j', (u) => {
    expect(connectScopes.parse([{ u, a: 496 }])).toBeUndefined()
  })

  it('returns undefined when one permission of a list is unknown', () => {
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

  it('parses any JSON without throwing, and returns permissions only for its own form', () => {
    const entry = fc.record({
      u: fc.oneof(ids, fc.string(), fc.jsonValue()),
      a: fc.oneof(fc.constantFrom(48, 448, 496), fc.jsonValue()),
    })
    const claims = fc.oneof(fc.jsonValue(), fc.array(fc.oneof(entry, fc.jsonValue())))
    fc.assert(
      fc.property(claims, (claim) => {
        const parsed = connectScopes.parse(claim)
        if (parsed !== undefined && parsed !== '*')
          expect(sorted(toConnectClaim(parsed))).toEqual(sorted(claim))
      }),
      { numRuns: propertyRuns() },
    )
  })
})

describe('toConnectClaim', () => {
  it('returns a claim that connectScopes parses as the same permissions', () => {
    fc.assert(
      fc.property(fc.dictionary(ids, permissions), (vaults) => {
        expect(connectScopes.parse(toConnectClaim(vaults))).toEqual({ ...vaults })
      }),
      { numRuns: propertyRuns() },
    )
  })
})

describe('claimedVaults', () => {
  it.each<[string, unknown]>([
    ['an unknown permission', { [vaultId]: 'admin' }],
    ['an undefined permission', { [vaultId]: undefined }],
    ['a malformed id', { vault: 'read' }],
    ['every vault', { '*': 'read-write' }],
  ])('throws TypeError for %s', (_what, vaults) => {
    expect(() => claimedVaults(vaults as never, 'vaults')).toThrow(
      new TypeError('vaults must be permissions by vault id'),
    )
  })
})

function sorted(claim: unknown): unknown[] {
  return (claim as unknown[]).map((entry) => JSON.stringify(entry, ['a', 'u'])).sort()
}
