/** Checks of authentication: static tokens, JSON Web Tokens, one-time codes and permissions. */

import { createCaller, UnauthorizedError } from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import { createJwtAuthenticator, createSigningKey, issueToken } from 'cofferkit/jwt'
import { createMemoryStore } from 'cofferkit/memory'
import { createToken, createTokenAuthenticator } from 'cofferkit/tokens'
import { assert, assertEqual, assertRejects } from './check.mjs'
import { createSubject, draftIn } from './subject.mjs'

const vaultId = 'a'.repeat(26)
const named = { issuer: 'https://issuer.example', audience: 'vault' }
/** Base32 of the secret of RFC 6238, appendix B. */
const otpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

/** Checks without a subject. */
export const authenticationChecks = [
  {
    name: 'accepts a static token by its digest, and no other token',
    async run() {
      const { token, sha256 } = await createToken()
      const vaults = { [vaultId]: 'read' }
      const authenticate = createTokenAuthenticator({ tokens: [{ id: 'wendy', sha256, vaults }] })
      const caller = await authenticate(token)
      assertEqual([caller.id, caller.can('read', vaultId)], ['wendy', true], 'the caller')
      assertEqual(caller.can('write', vaultId), false, 'a missing permission')
      await assertRejects(authenticate(`${token}x`), UnauthorizedError, 'UNAUTHORIZED')
      await assertRejects(authenticate(sha256), UnauthorizedError, 'UNAUTHORIZED')
    },
  },
  {
    name: 'issues a JSON Web Token and accepts it',
    async run() {
      const { token, jti, authenticate } = await signed()
      const caller = await authenticate(token)
      assertEqual(
        [caller.id, caller.tokenId, caller.can('read', vaultId)],
        ['wendy', jti, true],
        'the caller',
      )
      assertEqual(caller.can('write', vaultId), false, 'a missing permission')
    },
  },
  {
    name: 'rejects a JSON Web Token that is changed, expired or for another audience',
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
      for (const attempt of attempts)
        await assertRejects(attempt(), UnauthorizedError, 'UNAUTHORIZED')
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
          request,
          vaultId: home,
        } = await createSubject(createMemoryStore(), {
          dialect: connectDialect,
          now,
        })
        const value = `otpauth://totp/x?secret=${otpSecret}&digits=8&algorithm=SHA1&period=30`
        const item = draftIn(home, { fields: [{ id: 'code', type: 'OTP', value }] })
        const { id } = await service.createItem(owner, { vaultId: home, item })
        const { fields } = await (await request('GET', `/vaults/${home}/items/${id}`)).json()
        assertEqual(fields[0].totp, code, `the code after ${seconds} seconds`)
      }
    },
  },
  {
    name: 'gives a caller exactly the granted permissions',
    async run() {
      const caller = createCaller({ id: 'wendy', vaults: { [vaultId]: 'write' } })
      assertEqual(
        ['read', 'write'].map((permission) => caller.can(permission, vaultId)),
        [false, true],
        'permissions',
      )
      assert(!caller.can('write', '__proto__'), 'a permission in a vault of that name')
      assert(!caller.can('write', 'constructor'), 'a permission in a vault of that name')
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
