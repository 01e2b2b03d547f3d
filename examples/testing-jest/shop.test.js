const { OnePasswordConnect } = require('@1password/connect')
const { connectDialect } = require('cofferkit/connect')
const { createTestVault, itemDraft } = require('cofferkit/testing')
const { addPasswords, listTitles, storePassword } = require('./shop.js')

const login = itemDraft('LOGIN', { title: 'Mail', fields: [] })
const seed = { vaults: [{ name: 'Shop', items: [login, itemDraft('SERVER')] }] }
let vault
let server

// One vault for all tests: `reset` takes less than a millisecond.
beforeAll(async () => {
  vault = await createTestVault({ seed, dialect: connectDialect })
  server = await vault.listen()
})
beforeEach(() => vault.reset())
afterAll(() => server.close())

describe('addPasswords', () => {
  test('adds a password to a login without one, once', async () => {
    const { service, caller, vaultId } = vault
    expect(await addPasswords(service, caller, vaultId)).toBe(1)
    const item = await vault.findItem('Mail')
    expect(item).toHaveField('password', expect.stringMatching(/^.{32}$/))
    expect(await addPasswords(service, caller, vaultId)).toBe(0)
  })

  test('loses nothing when the process is killed', async () => {
    const { service, caller, vaultId } = vault
    await vault.crash({
      during: () => addPasswords(service, caller, vaultId),
      at: ({ method }) => (method === 'put' ? 'before' : undefined),
    })
    expect(await vault.findItem('Mail')).not.toHaveField('password')
    expect(await addPasswords(service, caller, vaultId)).toBe(1)
  })
})

describe('listTitles', () => {
  test('returns titles, and rejects with an unknown token', async () => {
    const { fetch, vaultId, tokens } = vault
    expect(await listTitles(fetch, vaultId, tokens.reader)).toEqual([
      'Build server',
      'Mail',
    ])
    await expect(listTitles(fetch, vaultId, 'unknown')).rejects.toBeVaultError(
      'UNAUTHORIZED',
    )
  })
})

describe('storePassword', () => {
  test('stores an item with the published client', async () => {
    const { tokens, vaultId } = vault
    const clientOf = (token) =>
      OnePasswordConnect({ serverURL: server.origin, token })
    await storePassword(clientOf(tokens.full), vaultId, 'New', 'hunter2')
    expect(await vault.findItem('New')).toMatchItem(
      itemDraft('PASSWORD', {
        title: 'New',
        fields: [{ id: 'password', value: 'hunter2' }],
      }),
    )
    const failed = storePassword(
      clientOf(tokens.reader),
      vaultId,
      'Other',
      'hunter2',
    )
    await expect(failed).rejects.toBeVaultError(403)
    await expect(failed).rejects.toContainNoSecret(['hunter2', tokens.reader])
  })
})
