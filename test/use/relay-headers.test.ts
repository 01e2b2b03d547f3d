import { describe, expect, it } from 'vitest'
import { toApiHeaders, toClientHeaders, withRelayToken } from '../../src/use/relay-headers.js'

describe('toApiHeaders', () => {
  it('passes on what is for the API', () => {
    const given = [
      ...[
        ['Authorization', 'Bearer a'],
        ['Accept', 'a'],
        ['accept', 'b'],
        ['X-Request-Id', '1'],
      ],
      ...[
        ['User-Agent', 'curl'],
        ['x-cofferkit-sign', 'aws op://a/b'],
        ['Content-Type', 'c'],
      ],
      ...[
        ['Idempotency-Key', 'd'],
        ['X-Forward', 'e'],
        ['Range', 'f'],
      ],
    ] as const
    expect(Object.fromEntries(toApiHeaders(given as never))).toEqual({
      accept: 'a, b',
      authorization: 'Bearer a',
      'content-type': 'c',
      'idempotency-key': 'd',
      range: 'f',
      'user-agent': 'curl',
      'x-cofferkit-sign': 'aws op://a/b',
      'x-forward': 'e',
      'x-request-id': '1',
    })
  })

  it.each([
    ...['X-Cofferkit-Authorization', 'x_cofferkit_authorization', 'Cookie', 'Cookie2', 'Host'],
    ...['Forwarded', 'X-Forwarded-For', 'X_Forwarded_Host', 'x-forwarded', 'X-Forwarded-Anything'],
    ...['Connection', 'Keep-Alive', 'Proxy-Connection', 'Proxy-Authorization', 'TE', 'Trailer'],
    ...['Transfer-Encoding', 'Upgrade', 'Proxy-Authenticate', 'HTTP2-Settings', 'Content-Length'],
    ...['Expect', 'Via', 'X-Real-IP'],
  ])('does not pass on %s', (name) => {
    expect([...toApiHeaders([[name, 'a']])]).toEqual([])
  })

  it('does not pass on what Connection names', () => {
    const given = [
      ['Connection', 'close, X-Hop ,x_hop2'],
      ['x-hop', 'a'],
      ['X-Hop2', 'b'],
      ['x-kept', 'c'],
    ] as const
    expect([...toApiHeaders(given)]).toEqual([['x-kept', 'c']])
  })
})

describe('toClientHeaders', () => {
  const headersOf = (status: number, headers: Record<string, string>): object =>
    toClientHeaders(new Response(null, { status, headers }))

  it.each([
    ...['Set-Cookie2', 'Access-Control-Allow-Origin', 'Access-Control-Allow-Credentials'],
    ...['Access-Control-Expose-Headers', 'Cross-Origin-Resource-Policy', 'Timing-Allow-Origin'],
    ...['Alt-Svc', 'Clear-Site-Data', 'Strict-Transport-Security', 'Service-Worker-Allowed'],
    ...['X-Cofferkit-Unreadable', 'Connection', 'Keep-Alive', 'Transfer-Encoding', 'Trailer'],
    ...['Upgrade', 'Proxy-Authenticate'],
  ])('does not pass %s back', (name) => {
    expect(headersOf(200, { [name]: 'a', 'x-kept': 'b' })).toEqual({ 'x-kept': 'b' })
  })

  it('passes a location back, unless clients would go there', () => {
    for (const status of [300, 304]) expect(headersOf(status, { location: '/a' })).toEqual({})
    expect(headersOf(201, { location: '/a' })).toEqual({ location: '/a' })
  })

  it('does not pass back what Connection names', () => {
    expect(headersOf(200, { connection: 'x-hop', 'x-hop': 'a' })).toEqual({})
  })
})

describe('withRelayToken', () => {
  it('shows the token of the relay as Authorization, and every other header as it is', () => {
    const given = { 'x-cofferkit-authorization': 'Bearer relay', authorization: 'b', cookie: 'c' }
    const request = withRelayToken({
      method: 'GET',
      url: '/',
      header: (name) => new Headers(given).get(name) ?? undefined,
      body: null,
    })
    expect(request.header('Authorization')).toBe('Bearer relay')
    expect(request.header('cookie')).toBe('c')
    expect(request.header('x-other')).toBeUndefined()
  })
})
