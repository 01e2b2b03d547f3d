import { describe, expect, it } from 'vitest'
import { createRouter } from '../../src/http/router.js'
import { InvalidInputError, RouteNotFoundError, SecretUseError } from '../../src/index.js'
import { assertPublicUrl, divideTarget, toTargetUrl } from '../../src/use/relay-target.js'

/** Reads a target as the relay does, whose only route is for every target. */
function toUrl(target: string, basePath = '/relay'): string {
  const router = createRouter(basePath, [{ method: '*', path: '/{target*}' }])
  const found = router.match('GET', target)?.parameters['target']
  if (found === undefined) throw new RouteNotFoundError('no such resource')
  return toTargetUrl(divideTarget(found)).href
}

describe('divideTarget', () => {
  it.each([
    ['/relay/https/api.example.com/v1/charges?x=1', 'https://api.example.com/v1/charges?x=1'],
    ['/relay/https:/api.example.com/v1', 'https://api.example.com/v1'],
    ['/relay/https://api.example.com/v1', 'https://api.example.com/v1'],
    ['http://relay:8081/relay/https/api.example.com/v1', 'https://api.example.com/v1'],
    ['/relay/HTTPS/API.Example.com/V1', 'https://api.example.com/V1'],
    ['/relay/https/api.example.com', 'https://api.example.com/'],
    ['/relay/https/api.example.com?x=1', 'https://api.example.com/?x=1'],
    ['/relay/https/api.example.com:8443/a', 'https://api.example.com:8443/a'],
    ['/relay/https/api.example.com:443/a', 'https://api.example.com/a'],
    ['/relay/https/[2606:4700::1111]:8443/a', 'https://[2606:4700::1111]:8443/a'],
    ['/relay/https/api.example.com/a/?/../b', 'https://api.example.com/a/?/../b'],
    ['/relay/https/api.example.com//a///b//', 'https://api.example.com//a///b//'],
    ['/relay/https/api.example.com/a;b=c@d:e/(f)', 'https://api.example.com/a;b=c@d:e/(f)'],
    ['/relay/https/api.example.com/%zz%41%c3%a9', 'https://api.example.com/%zz%41%c3%a9'],
    ['/relay/https/api.example.com/%252e%252e/a', 'https://api.example.com/%252e%252e/a'],
    [
      '/relay/https/api.example.com/a?u=https%3A%2F%2Fb',
      'https://api.example.com/a?u=https%3A%2F%2Fb',
    ],
    ["/relay/https/api.example.com/it's?q=it's", "https://api.example.com/it's?q=it%27s"],
    [
      '/relay/https/api.example.com/bot%7B%7B%20op://T/I/f%20%7D%7D/send',
      'https://api.example.com/bot%7B%7B%20op://T/I/f%20%7D%7D/send',
    ],
  ])('reads %s', (target, url) => {
    expect(toUrl(target)).toBe(url)
  })

  it('reads other base paths, including an empty one', () => {
    expect(toUrl('/https/api.example.com/a', '')).toBe('https://api.example.com/a')
    expect(toUrl('/a/b/https://api.example.com/a', '/a/b')).toBe('https://api.example.com/a')
  })

  it.each([
    ...[
      '/',
      '/relay',
      '/relay/',
      '/relay/https',
      '/relay/https/',
      '/relay/https://',
      '/relay/ftp/a/',
    ],
    ...['/relay/https:api.example.com/', '/relay/https:///a', '/relays/https/api.example.com/'],
    ...['/a/relay/https/api.example.com/', '/relay/https/?a', '/relay/https/#a', '/RELAY/https/a/'],
    ...['/relay/wss/api.example.com/a', '/relay/https%3A%2F%2Fapi.example.com/', '//relay/https/a'],
    '/relay/file:///etc/passwd',
  ])('does not find %s', (target) => {
    expect(() => toUrl(target)).toThrow(RouteNotFoundError)
  })
})

describe('toTargetUrl', () => {
  it.each([
    ...['/a/../b', '/..', '/.', '/a/.', '/a/./b', '/a/..;/b/../c', '/%2e%2e/a', '/a/%2E./b'],
    ...['/.%2e/a', '/a%2fb', '/a%2Fb', '/a%5cb', '/a%5Cb', '/a\\b', '/\\evil.example/', '/a b'],
    ...[
      '/a\tb',
      '/a\nb',
      '/a#b',
      '/a?b#c',
      '/é',
      '/{{ op://T/I/f }}',
      '/"',
      '/<',
      '/`',
      '/a\u0000',
    ],
    ...['/a?b c', '/a?"', '/a?é', '/a ', '/a?b '],
  ])('refuses the path %j', (path) => {
    expect(() => toUrl(`/relay/https/api.example.com${path}`)).toThrow(InvalidInputError)
  })

  it.each([
    ...['user@api.example.com', 'user:pw@api.example.com', 'a:b', 'a:123456', 'a:70000', 'a%2eb'],
    ...['a\\b', '[::1', '[fe80::1%25eth0]', '[v1.a]', '1.2.3.4.5', 'ä.example', 'a:1:2', 'a b'],
    ...['a,b', 'a;b', '{{ op://T/I/f }}', '256.0.0.1'],
  ])('refuses the host %s', (authority) => {
    expect(() => toUrl(`/relay/https/${authority}/a`)).toThrow(InvalidInputError)
  })
})

describe('assertPublicUrl', () => {
  const check = (url: string, allowHosts: readonly string[] = []): void =>
    assertPublicUrl(new URL(url), allowHosts)

  it('refuses http, even to a host that is allowed', () => {
    expect(() => check('http://api.example.com/')).toThrow(
      new SecretUseError('a relay sends requests by https only'),
    )
    expect(() => check('http://localhost/', ['localhost'])).toThrow(SecretUseError)
  })

  it('refuses a host that is not public, unless it is allowed', () => {
    for (const host of ['localhost', '127.1', '[::ffff:10.0.0.1]', '169.254.169.254', 'redis'])
      expect(() => check(`https://${host}/`)).toThrow(new SecretUseError('the host is not public'))
    check('https://api.example.com/')
    check('https://redis:8443/', ['redis'])
    check('https://127.1/', ['127.0.0.1'])
  })
})
