import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { depthOf, formatRoute, parseRoute } from '../../src/page/browser/route.js'

const [vaultId, itemId] = ['a'.repeat(26), '7'.repeat(26)]

describe('parseRoute', () => {
  it.each([
    [{ view: 'vaults' }, '#/', 0],
    [{ view: 'vaults', mode: 'new' }, '#/new', 2],
    [{ view: 'activity' }, '#/activity', 0],
    [{ view: 'vaults', vaultId }, `#/${vaultId}`, 1],
    [{ view: 'vaults', vaultId, mode: 'edit' }, `#/${vaultId}/edit`, 2],
    [{ view: 'vaults', vaultId, itemId }, `#/${vaultId}/${itemId}`, 2],
    [{ view: 'vaults', vaultId, itemId, mode: 'patch' }, `#/${vaultId}/${itemId}/patch`, 2],
    [
      { view: 'vaults', vaultId, itemId, mode: 'version', version: 12 },
      `#/${vaultId}/${itemId}/versions/12`,
      2,
    ],
  ] as const)('returns %o, which formatRoute formats as %s', (route, fragment, depth) => {
    expect(parseRoute(fragment)).toEqual(route)
    expect(formatRoute(route)).toBe(fragment)
    expect(depthOf(route)).toBe(depth)
  })

  it('returns only valid ids for any fragment', () => {
    const parts = fc.constantFrom(
      vaultId,
      itemId,
      '..',
      'new',
      'edit',
      'versions',
      '1',
      '%2f',
      '<b>',
    )
    const fragments = fc.oneof(
      fc.string(),
      fc.array(parts).map((all) => `#/${all.join('/')}`),
    )
    fc.assert(
      fc.property(fragments, (fragment) => {
        const route = parseRoute(fragment)
        const id = /^[0-9a-z]{26}$/
        expect(
          [route.vaultId, route.itemId].every((part) => part === undefined || id.test(part)),
        ).toBe(true)
        expect(parseRoute(formatRoute(route))).toEqual(route)
      }),
    )
  })
})
