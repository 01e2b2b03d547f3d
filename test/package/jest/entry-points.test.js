/**
 * Loads every entry point in the default configuration of Jest, and uses the packages whose code is
 * in the CommonJS files.
 */

const { createServer } = require('node:http')
const { createCaller, createVaultService, UnauthorizedError } = require('cofferkit')
const { connectDialect } = require('cofferkit/connect')
const { createEncryptedStore, createLocalKeyProvider } = require('cofferkit/encrypted')
const { createJwtAuthenticator, createSigningKey, issueToken } = require('cofferkit/jwt')
const { createMemoryStore } = require('cofferkit/memory')
const { exports: subpaths } = require('cofferkit/package.json')

const specifiers = Object.keys(subpaths).map((subpath) => subpath.replace('.', 'cofferkit'))

test.each(specifiers)('%s is loaded', (specifier) => {
  expect(Object.keys(require(specifier))).not.toEqual([])
})

describe('createJwtAuthenticator with a JWKS', () => {
  const claims = { issuer: 'issuer', audience: 'vault' }
  let server
  let signingKey
  let authenticate

  beforeAll(async () => {
    signingKey = await createSigningKey()
    const keys = [(await createSigningKey()).publicKey, signingKey.publicKey]
    server = createServer((_, response) => response.end(JSON.stringify({ keys })))
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = new URL(`http://127.0.0.1:${server.address().port}`)
    authenticate = createJwtAuthenticator({ ...claims, keys: url })
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  /** Issues a token that names the key with this id. */
  async function tokenFor(kid) {
    const { token } = await issueToken({
      ...claims,
      privateKey: { ...signingKey.privateKey, kid },
      subject: 'wendy',
      vaults: { [`${'a'.repeat(26)}`]: 'read' },
      lifetimeSeconds: 60,
    })
    return token
  }

  test('accepts a token', async () => {
    const { kid } = signingKey.publicKey
    expect(await authenticate(await tokenFor(kid))).toMatchObject({ id: 'wendy' })
  })

  test('accepts a token without a `kid`, for which it tries each key', async () => {
    expect(await authenticate(await tokenFor(undefined))).toMatchObject({ id: 'wendy' })
  })

  test('rejects a token with an unknown `kid` as unauthorized', async () => {
    await expect(authenticate(await tokenFor('unknown'))).rejects.toThrow(UnauthorizedError)
  })
})

test('an encrypted vault keeps an item, and the Connect dialect adds its one-time code', async () => {
  const keys = createLocalKeyProvider({ key: new Uint8Array(32) })
  const store = createEncryptedStore(createMemoryStore(), { keys })
  const service = createVaultService({ store, dialect: connectDialect })
  const caller = createCaller({ id: 'wendy', vaults: '*' })
  const vault = await service.createVault(caller, { name: 'Home' })
  const value = 'otpauth://totp/Mail?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const item = { category: 'LOGIN', vault, fields: [{ id: 'code', type: 'OTP', value }] }
  const ref = {
    vaultId: vault.id,
    itemId: (await service.createItem(caller, { vaultId: vault.id, item })).id,
  }
  const read = await service.getItem(caller, ref)
  // The code at this time is that of RFC 6238, appendix B.
  const { fields } = connectDialect.formatItem(read, 'getItem', new Date(59_000))
  expect(fields).toContainEqual(expect.objectContaining({ value, totp: '287082' }))
})
