import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { jwtAlgorithms } from '../../src/auth/jwt/key-resolver.js'
import type { JwtAlgorithm, JwtKey } from '../../src/auth/jwt.js'
import { newTestKey, privateJwk, signedWith } from '../support/auth/forged-tokens.js'
import {
  createNoonAuthenticator,
  createToken,
  jwks,
  key,
  nextKey,
  outcome,
} from '../support/auth/jwt-at-noon.js'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const shortRsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
const edwards = generateKeyPairSync('ed25519')
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' })

function jwkOf({ publicKey }: typeof rsa): object {
  return publicKey.export({ format: 'jwk' })
}

describe('createJwtAuthenticator keys', () => {
  it('accepts tokens of the old key and of the new one while both are listed', async () => {
    const both = createNoonAuthenticator({ keys: jwks(key, nextKey) })
    expect(await outcome(both(createToken()))).toBe('wendy')
    expect(await outcome(both(createToken({}, nextKey)))).toBe('wendy')
    const later = createNoonAuthenticator({ keys: jwks(nextKey) })
    expect(await outcome(later(createToken()))).toBe(401)
    expect(await outcome(later(createToken({}, nextKey)))).toBe('wendy')
  })

  it('tries each key when a token has no kid, and rejects it when no key fits', async () => {
    const both = createNoonAuthenticator({ keys: jwks(key, nextKey) })
    const nameless = { header: { kid: undefined } }
    expect(await outcome(both(createToken(nameless)))).toBe('wendy')
    expect(await outcome(both(createToken(nameless, nextKey)))).toBe('wendy')
    expect(await outcome(both(createToken(nameless, newTestKey('key-1'))))).toBe(401)
    const expired = { ...nameless, claims: { exp: 1 } }
    expect(await outcome(both(createToken(expired)))).toBe(401)
    expect(await outcome(both(createToken(expired, nextKey)))).toBe(401)
  })

  it('does not use a key without a kid when the token has one', async () => {
    const { kid: _, ...nameless } = key.publicJwk
    const authenticate = createNoonAuthenticator({ keys: [nameless] })
    expect(await outcome(authenticate(createToken()))).toBe(401)
    expect(await outcome(authenticate(createToken({ header: { kid: undefined } })))).toBe('wendy')
  })

  it.each([
    ['use', { use: 'enc' }],
    ['alg', { alg: 'ES384' }],
    ['key_ops', { key_ops: ['sign'] }],
  ])('does not use a key for verification when its %s excludes that', async (_what, changes) => {
    const keys = [{ ...key.publicJwk, ...changes } as JwtKey]
    expect(await outcome(createNoonAuthenticator({ keys })(createToken()))).toBe(401)
  })

  it('copies the lists of keys and algorithms', async () => {
    const keys = jwks(key)
    const algorithms: JwtAlgorithm[] = ['ES256']
    const authenticate = createNoonAuthenticator({ keys, algorithms })
    keys[0] = nextKey.publicJwk as JwtKey
    algorithms.pop()
    expect(await outcome(authenticate(createToken()))).toBe('wendy')
    expect(await outcome(authenticate(createToken({}, nextKey)))).toBe(401)
  })

  it('rejects with another error than 401 when a key is not a point of its curve', async () => {
    const keys = [{ ...key.publicJwk, x: nextKey.publicJwk.x } as JwtKey]
    const failed = await outcome(createNoonAuthenticator({ keys })(createToken()))
    expect(failed).toBeInstanceOf(Error)
  })

  it.each<[string, object]>([
    ['RSA', jwkOf(rsa)],
    ['P-384', jwkOf(p384)],
    ['P-521', jwkOf(p521)],
    ['Ed25519', jwkOf(edwards)],
  ])('accepts a key of %s', (_what, publicKey) => {
    expect(() => createNoonAuthenticator({ keys: [publicKey as JwtKey] })).not.toThrow()
  })

  it.each<[string, unknown]>([
    ['absent', undefined],
    ['empty', []],
    ['empty text', ''],
    ['a JWKS instead of its list', { keys: jwks(key) }],
    ['a private key', [privateJwk(key)]],
    ['a private key behind a public one', [key.publicJwk, privateJwk(key)]],
    ['a shared secret', [{ kty: 'oct', k: 'c2VjcmV0' }]],
    ['without a type', [{}]],
    ['without its point', [{ kty: 'EC', crv: 'P-256' }]],
    ['of half a point', [{ ...key.publicJwk, y: undefined }]],
    ['of a point that is too short', [{ ...key.publicJwk, x: 'AA' }]],
    ['of another curve than its point', [{ ...key.publicJwk, crv: 'P-384' }]],
    ['of an unknown curve', [{ ...key.publicJwk, crv: 'secp256k1' }]],
    ['of no curve', [{ ...key.publicJwk, crv: undefined }]],
    ['of something else than base64url', [{ ...key.publicJwk, x: '+'.repeat(43) }]],
    ['an Edwards key without its point', [{ kty: 'OKP', crv: 'Ed25519' }]],
    ['an RSA key of 1,024 bits', [jwkOf(shortRsa)]],
    ['an RSA key without its exponent', [{ ...jwkOf(rsa), e: undefined }]],
    ['an RSA key without its modulus', [{ ...jwkOf(rsa), n: undefined }]],
    ['undefined in the list', [undefined]],
    ['http', new URL('http://issuer.test/jwks.json')],
    ['http to a host name that begins like this machine', new URL('http://localhost.evil.test/')],
    ['http to a host name that ends like this machine', new URL('http://notlocalhost/')],
    ['ftp to this machine', new URL('ftp://localhost/')],
    ['http to an address that begins like this machine', new URL('http://127.0.0.10/')],
    ['a file', new URL('file:///jwks.json')],
    ['data', new URL('data:application/json,{"keys":[]}')],
    ['text that is no URL', 'issuer.test/jwks.json'],
    ['a URL over http, as text', 'http://issuer.test/jwks.json'],
  ])('throws TypeError when the keys are %s', (_what, keys) => {
    const make = (): unknown => createNoonAuthenticator({ keys: keys as JwtKey[] })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(/^options\.keys must be /)
  })

  it.each(['https://issuer.test/', 'http://localhost:1/', 'http://127.0.0.1/', 'http://[::1]:1/'])(
    'accepts the URL %s',
    (url) => {
      expect(() => createNoonAuthenticator({ keys: new URL(url) })).not.toThrow()
      expect(() => createNoonAuthenticator({ keys: url })).not.toThrow()
    },
  )
})

describe('createJwtAuthenticator algorithms', () => {
  it.each<[JwtAlgorithm, string | undefined, typeof rsa]>([
    ['RS256', 'sha256', rsa],
    ['RS512', 'sha512', rsa],
    ['ES384', 'sha384', p384],
    ['EdDSA', undefined, edwards],
    ['Ed25519', undefined, edwards],
  ])('accepts %s only when it is allowed', async (alg, hash, { privateKey, publicKey }) => {
    const keys: JwtKey[] = [{ ...publicKey.export({ format: 'jwk' }), kid: 'key-1' } as JwtKey]
    const signature = signedWith(hash, privateKey.export({ format: 'jwk' }))
    const signed = createToken({ header: { alg }, signature })
    expect(
      await outcome(createNoonAuthenticator({ keys, algorithms: ['ES256', alg] })(signed)),
    ).toBe('wendy')
    expect(await outcome(createNoonAuthenticator({ keys })(signed))).toBe(401)
  })

  it('rejects ES256 when only another algorithm is allowed', async () => {
    expect(await outcome(createNoonAuthenticator({ algorithms: ['RS256'] })(createToken()))).toBe(
      401,
    )
  })

  it('accepts every algorithm that has a public key', () => {
    for (const algorithm of jwtAlgorithms)
      expect(() => createNoonAuthenticator({ algorithms: [algorithm] })).not.toThrow()
  })

  it.each([[[]], [['HS256']], [['none']], [['ES256', 'HS512']], [['es256']]])(
    'throws TypeError when the algorithms are %j',
    (algorithms) => {
      const make = (): unknown =>
        createNoonAuthenticator({ algorithms: algorithms as JwtAlgorithm[] })
      expect(make).toThrow(TypeError)
      expect(make).toThrow(/^options\.algorithms(?:\[\d\])? must be /)
    },
  )
})
