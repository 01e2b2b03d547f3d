import { describe, expect, it } from 'vitest'
import { withClientAddress } from '../../../src/command/serve/client-address.js'
import type { HttpRequest } from '../../../src/http.js'

async function addressOf(
  proxies: readonly string[],
  remoteAddress: string | undefined,
  forwarded?: string,
): Promise<string | undefined> {
  let seen: HttpRequest | undefined
  const handler = withClientAddress(async (request) => {
    seen = request
    return { status: 204, headers: {}, body: null }
  }, proxies)
  const header = (name: string) => (name === 'x-forwarded-for' ? forwarded : undefined)
  await handler({ method: 'GET', url: '/', header, body: null, remoteAddress })
  return seen?.remoteAddress
}

describe('withClientAddress', () => {
  it.each([
    [['127.0.0.1'], '127.0.0.1', '192.0.2.7', '192.0.2.7'],
    [['127.0.0.1'], '::ffff:127.0.0.1', '192.0.2.7', '192.0.2.7'],
    [['127.0.0.1'], '192.0.2.1', '192.0.2.7', '192.0.2.1'],
    [['127.0.0.1'], '127.0.0.1', undefined, '127.0.0.1'],
    [['127.0.0.1'], '127.0.0.1', '192.0.2.7, s3cret', '127.0.0.1'],
    [['127.0.0.1', '10.0.0.0/8'], '127.0.0.1', '1.1.1.1, 192.0.2.7,10.9.9.9', '192.0.2.7'],
    [['::1', '2001:db8::/32'], '::1', '203.0.113.5, 2001:db8::7', '203.0.113.5'],
    [['10.0.0.0/8'], '10.0.0.1', '10.0.0.3', '10.0.0.3'],
    [[], '127.0.0.1', '192.0.2.7', '127.0.0.1'],
    [['127.0.0.1'], undefined, '192.0.2.7', undefined],
  ])('with %j, of %s and %s, returns %s', async (proxies, remote, forwarded, expected) => {
    expect(await addressOf(proxies, remote, forwarded)).toBe(expected)
  })

  it.each(['s3cret', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', ''])('rejects %j', (proxy) =>
    expect(addressOf([proxy], '127.0.0.1')).rejects.toThrow(
      /^--trusted-proxy: must be an address or a network such as 10\.0\.0\.0\/8/,
    ),
  )
})
