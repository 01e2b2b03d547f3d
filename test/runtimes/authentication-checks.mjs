/** That tokens are believed only when they are right: static ones, JSON Web Tokens, one-time codes. */

import { createCaller, UnauthorizedError } from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import { createJwtAuthenticator, createSigningKey, issueToken } from 'cofferkit/jwt'
import { createMemoryStore } from 'cofferkit/memory'
import { createToken, createTokenAuthenticator } from 'cofferkit/tokens'
import { holds, refused, same } from './check.mjs'
import { createSubject, draftIn } from './subject.mjs'

const vaultId = 'a'.repeat(26)
const named = { issuer: 'https://issuer.example', audience: 'vault' }
/** Base32 of the secret of RFC 6238, appendix B. */
const otpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

/** Checks without a subject. */
export const authenticationChecks = [
  {
    name: 'knows a static token by its digest, and no other token',
    async run() {
      const { token, sha256 } = await createToken()
      const vaults = { [vaultId]: 'read' }
      const authenticate = createTokenAuthenticator({ tokens: [{ id: 'wendy', sha256, vaults }] })
      const caller = await authenticate(token)
      same([caller.id, caller.can('read', vaultId)], ['wendy', true], 'the caller')
      same(caller.can('write', vaultId), false, 'a right he has not')
      await refused(authenticate(`${token}x`), UnauthorizedError, 'UNAUTHORIZED')
      await refused(authenticate(sha256), UnauthorizedError, 'UNAUTHORIZED')
    },
  },
  {
    name: 'signs a JSON Web Token and takes it',
    async run() {
      const { token, jti, authenticate } = await signed()
      const caller = await authenticate(token)
      same(
        [caller.id, caller.tokenId, caller.can('read', vaultId)],
        ['wendy', jti, true],
        'the caller',
      )
      same(caller.can('write', vaultId), false, 'a right he has not')
    },
  },
  {
    name: 'refuses a JSON Web Token that was changed, is too old, or is for another',
    async run() {
      const { token, authenticate, publicKey } = await signed()
      const [head, claims, signature] = token.split('.')
      const other = await signed()
      const later = () => new Date(Date.now() + 3_600_000)
      const attempts = [
        () =>
          authenticate(
            `${head}.${claims}.${signature.replace(/./, (c) => (c === 'A' ? 'B' : 'A'))}`,
          ),
        () => authenticate(`${head}.${other.token.split('.')[1]}.${signature}`),
        () => authenticate(`${btoa('{"alg":"none"}').replaceAll('=', '')}.${claims}.`),
        () => authenticate(other.token),
        () => createJwtAuthenticator({ ...named, keys: [publicKey], now: later })(token),
        () => createJwtAuthenticator({ ...named, audience: 'x', keys: [publicKey] })(token),
      ]
      for (const attempt of attempts) await refused(attempt(), UnauthorizedError, 'UNAUTHORIZED')
    },
  },
  {
    name: 'computes the one-time codes of RFC 6238',
    async run() {
      for (const [seconds, code] of [
        [59, '94287082'],
        [1_111_111_109, '07081804'],
        [20_000_000_000, '65353130'],
      ]) {
        const now = () => new Date(seconds * 1000)
        const {
          service,
          owner,
          ask,
          vaultId: home,
        } = await createSubject(createMemoryStore(), {
          dialect: connectDialect,
          now,
        })
        const value = `otpauth://totp/x?secret=${otpSecret}&digits=8&algorithm=SHA1&period=30`
        const item = draftIn(home, { fields: [{ id: 'code', type: 'OTP', value }] })
        const { id } = await service.createItem(owner, { vaultId: home, item })
        const { fields } = await (await ask('GET', `/vaults/${home}/items/${id}`)).json()
        same(fields[0].totp, code, `the code after ${seconds} seconds`)
      }
    },
  },
  {
    name: 'gives a caller the rights that were granted, and no others',
    async run() {
      const caller = createCaller('wendy', { [vaultId]: 'write' })
      same(
        ['read', 'write'].map((access) => caller.can(access, vaultId)),
        [false, true],
        'rights',
      )
      holds(!caller.can('write', '__proto__'), 'a right in a vault of that name')
      holds(!caller.can('write', 'constructor'), 'a right in a vault of that name')
    },
  },
]

async function signed() {
  const { privateKey, publicKey } = await createSigningKey()
  const { token, jti } = await issueToken({
    ...named,
    privateKey,
    subject: 'wendy',
    vaults: { [vaultId]: 'read' },
    lifetimeSeconds: 600,
  })
  return {
    token,
    jti,
    publicKey,
    authenticate: createJwtAuthenticator({ ...named, keys: [publicKey] }),
  }
}
