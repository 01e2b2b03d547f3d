import { describe, expect, it } from 'vitest'
import { stripPrefix } from '../../src/adapters/strip-prefix.js'

describe('stripPrefix', () => {
  it.each([
    ['/v1/vaults', '', '/v1/vaults'],
    ['/v1/vaults', '/*', '/v1/vaults'],
    ['/secrets/v1/vaults?filter=a/b', '/secrets', '/v1/vaults?filter=a/b'],
    ['/secrets/v1/vaults', '/secrets/', '/v1/vaults'],
    ['/secrets/v1/vaults', '/secrets/*', '/v1/vaults'],
    ['/a/b/v1', '/a/b', '/v1'],
    ['/acme/secrets/v1', '/:tenant/secrets', '/v1'],
    ['/%73ecrets/v1', '/secrets', '/v1'],
    ['/SECRETS/v1', '/secrets', '/v1'],
    ['https://vault.example:8443/secrets/v1?x', '/secrets/*', '/v1?x'],
    ['https://vault.example/v1', '/*', '/v1'],
  ])('strips from %s under %s all but %s', (url, prefix, rest) => {
    expect(stripPrefix(url, prefix)).toBe(rest)
  })

  it.each([
    ['/secrets?x=/v1/vaults', '/secrets'],
    ['/secrets#/v1/vaults', '/secrets'],
    ['/secrets', '/secrets/more'],
    ['https://vault.example?x=/v1/vaults', '/*'],
  ])('returns no path below /v1 for %s under %s', (url, prefix) => {
    expect(stripPrefix(url, prefix)).not.toMatch(/^\/v1/)
  })

  it('returns dots, doubled slashes and escapes after the prefix unchanged', () => {
    const rest = '//v1/../%2e%2e/a%2Fb/'
    expect(stripPrefix(`/secrets${rest}`, '/secrets/*')).toBe(rest)
  })
})
