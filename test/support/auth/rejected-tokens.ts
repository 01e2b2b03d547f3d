/** Tokens that must be rejected with 401, before any store is read. */

import { generateKeyPairSync } from 'node:crypto'
import {
  audience,
  base64url,
  createClaims,
  type Forgery,
  forge,
  hmacWith,
  issuer,
  newTestKey,
  signDer,
  signEs256,
  signedWith,
  type TestKey,
} from './forged-tokens.js'

/** An invalid token. */
export interface InvalidToken {
  readonly name: string
  /** Creates the token, with the issuer’s key where a signature is needed. */
  readonly token: (key: TestKey, vaultId: string) => string
}

const forged = (name: string, forgery: Forgery): InvalidToken => ({
  name,
  token: (key, vaultId) => forge(key, vaultId, forgery),
})
const cut = (name: string, change: (parts: readonly string[]) => string): InvalidToken => ({
  name,
  token: (key, vaultId) => change(forge(key, vaultId).split('.')),
})
const scoped = (
  name: string,
  scopes: (right: { readonly u: string; readonly a: number }) => unknown,
): InvalidToken => ({
  name: `scopes: ${name}`,
  token: (key, vaultId) =>
    forge(key, vaultId, { claims: { '1password.com/vts': scopes({ u: vaultId, a: 496 }) } }),
})

const foreignKey = newTestKey('key-1')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'jwk' })
const seconds = Math.floor(Date.now() / 1000)
const zeros = (length: number) => (): Uint8Array => new Uint8Array(length)

const malformed: readonly InvalidToken[] = [
  cut('one part', ([header = '']) => header),
  cut('two parts', ([header, payload]) => `${header}.${payload}`),
  cut('four parts', (parts) => `${parts.join('.')}.e30`),
  cut('five parts, as if it were encrypted', (parts) => `${parts.join('.')}..`),
  cut('no header', ([, payload, signature]) => `.${payload}.${signature}`),
  cut('no payload', ([header, , signature]) => `${header}..${signature}`),
  cut('a header that is no base64', ([, payload, signature]) => `~.${payload}.${signature}`),
  cut('a header that is no JSON', ([, ...rest]) => [base64url('{'), ...rest].join('.')),
  cut('a header that is a list', ([, ...rest]) => [base64url('[]'), ...rest].join('.')),
  cut('a header that is null', ([, ...rest]) => [base64url('null'), ...rest].join('.')),
  cut('dots alone', () => '..'),
  forged('a payload that is no JSON', { payload: '{' }),
  forged('a payload that is a list', { payload: '[]' }),
  forged('a payload that is null', { payload: 'null' }),
  forged('an empty payload', { payload: '' }),
]

const algorithms: readonly InvalidToken[] = [
  forged('alg none', { header: { alg: 'none' }, signature: zeros(0) }),
  forged('alg None', { header: { alg: 'None' }, signature: zeros(0) }),
  forged('alg none with a right signature', {
    header: { alg: 'none' },
    signature: (input, key) => signEs256(input, key),
  }),
  forged('no alg', { header: { alg: undefined } }),
  forged('an empty alg', { header: { alg: '' } }),
  forged('an alg that is a list', { header: { alg: ['ES256'] } }),
  forged('alg es256', { header: { alg: 'es256' } }),
  forged('alg of an inherited name', { header: { alg: 'constructor' } }),
  ...(['pem', 'der', 'jwk'] as const).map((format) =>
    forged(`HS256 with the public key as ${format}`, {
      header: { alg: 'HS256' },
      signature: hmacWith(format),
    }),
  ),
  forged('RS256', { header: { alg: 'RS256' }, signature: signedWith('sha256', rsa) }),
  forged('ES384', { header: { alg: 'ES384' }, signature: signedWith('sha384', p384) }),
  forged('ES256K', { header: { alg: 'ES256K' } }),
  forged('EdDSA', { header: { alg: 'EdDSA' } }),
]

const keyed: readonly InvalidToken[] = [
  forged('an unknown kid', { header: { kid: 'another' } }),
  forged('an empty kid', { header: { kid: '' } }),
  forged('a kid that is a number', { header: { kid: 1 } }),
  forged('a kid that is a path', { header: { kid: '../../../../../dev/null' } }),
  {
    name: "another party's key under a known kid",
    token: ({ kid }, vaultId) => forge({ ...foreignKey, kid }, vaultId),
  },
  {
    name: "another party's key without a kid",
    token: (_key, vaultId) => forge(foreignKey, vaultId, { header: { kid: undefined } }),
  },
  {
    name: 'header jwk',
    token: ({ kid }, vaultId) =>
      forge({ ...foreignKey, kid }, vaultId, { header: { jwk: foreignKey.publicJwk } }),
  },
  ...['jwk', 'jku', 'x5u', 'x5c'].map((name) =>
    forged(`header ${name} beside a right signature`, { header: { [name]: 'https://a.test' } }),
  ),
  forged('an unknown crit', { header: { crit: ['a'], a: 1 } }),
  forged('a crit that is not there', { header: { crit: ['a'] } }),
  forged('an empty crit', { header: { crit: [] } }),
  forged('a crit that is not a list', { header: { crit: 'a' } }),
  forged('crit b64', { header: { crit: ['b64'], b64: true } }),
  forged('a payload that is not encoded', { header: { crit: ['b64'], b64: false } }),
]

const signatures: readonly InvalidToken[] = [
  cut('no signature', ([header, payload]) => `${header}.${payload}.`),
  cut("another token's payload", ([header, , signature]) =>
    [header, base64url(JSON.stringify(createClaims('a'.repeat(26)))), signature].join('.'),
  ),
  cut('another header', ([, payload, signature]) =>
    [base64url('{"alg":"ES256","kid":"key-1"}'), payload, signature].join('.'),
  ),
  forged('a signature of 64 zeros', { signature: zeros(64) }),
  forged('a signature in DER', { signature: signDer }),
  forged('a signature with a bit changed', {
    signature: (input, key) =>
      signEs256(input, key).map((byte, index) => (index === 40 ? byte ^ 1 : byte)),
  }),
  forged('a signature cut short', {
    signature: (input, key) => signEs256(input, key).slice(0, 63),
  }),
  forged('a signature with a byte more', {
    signature: (input, key) => Uint8Array.from([...signEs256(input, key), 0]),
  }),
  forged('a signature of a single byte', { signature: zeros(1) }),
]

const claimed: readonly InvalidToken[] = [
  ...['iss', 'aud', 'sub', 'jti', 'exp'].map((name) =>
    forged(`no ${name}`, { claims: { [name]: undefined } }),
  ),
  ...['iss', 'aud', 'sub', 'jti', 'exp', 'nbf', 'iat'].flatMap((name) => [
    forged(`${name} null`, { claims: { [name]: null } }),
    forged(`${name} an object`, { claims: { [name]: {} } }),
  ]),
  ...['exp', 'nbf', 'iat'].map((name) =>
    forged(`${name} a text`, { claims: { [name]: String(seconds) } }),
  ),
  ...['sub', 'jti'].flatMap((name) => [
    forged(`${name} empty`, { claims: { [name]: '' } }),
    forged(`${name} a number`, { claims: { [name]: 7 } }),
  ]),
  forged('exp in the past', { claims: { exp: seconds - 60 } }),
  forged('exp 0', { claims: { exp: 0 } }),
  {
    name: 'exp that never comes',
    token: (key, vaultId) => {
      const payload = JSON.stringify({ ...createClaims(vaultId), exp: 'never' })
      return forge(key, vaultId, { payload: payload.replace('"never"', '1e400') })
    },
  },
  forged('nbf in the future', { claims: { nbf: seconds + 600 } }),
  forged('iat in the future', { claims: { iat: seconds + 600 } }),
  forged('another iss', { claims: { iss: `${issuer}/` } }),
  forged('iss a list', { claims: { iss: [issuer] } }),
  forged('another aud', { claims: { aud: `${audience}.evil.test` } }),
  forged('aud an empty list', { claims: { aud: [] } }),
  forged('aud a list of others', { claims: { aud: ['a', 'b'] } }),
]

const scopes: readonly InvalidToken[] = [
  scoped('none', () => undefined),
  scoped('null', () => null),
  scoped('a text', () => '*'),
  scoped('an object', ({ u }) => ({ [u]: 496 })),
  scoped('a list in a list', (right) => [[right]]),
  scoped('a null in the list', (right) => [right, null]),
  scoped('a text in the list', ({ u }) => [u]),
  scoped('no vault', () => [{ a: 496 }]),
  scoped('a malformed vault', ({ u }) => [{ u: u.toUpperCase(), a: 496 }]),
  scoped('every vault', () => [{ u: '*', a: 496 }]),
  scoped('a vault that is a list', ({ u }) => [{ u: [u], a: 496 }]),
  scoped('an unknown member', (right) => [{ ...right, until: 0 }]),
  scoped('a vault twice', (right) => [right, right]),
  scoped('a vault twice with other rights', (right) => [{ ...right, a: 48 }, right]),
  ...[
    undefined,
    null,
    0,
    1,
    16,
    32,
    47,
    49,
    64,
    495,
    497,
    511,
    -1,
    496.5,
    1e300,
    '496',
    true,
    [496],
  ].map((a) => scoped(`rights ${JSON.stringify(a)}`, ({ u }) => [{ u, a }])),
]

/** The `jti` of a revoked token. */
export const revokedTokenId = 'token-2'

/** Tokens that are invalid by themselves. */
export const invalidTokens: readonly InvalidToken[] = [
  ...malformed,
  ...algorithms,
  ...keyed,
  ...signatures,
  ...claimed,
  ...scopes,
  forged('a revoked jti', { claims: { jti: revokedTokenId } }),
]
