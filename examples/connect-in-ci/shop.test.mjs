import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OnePasswordConnect } from '@1password/connect'

const { OP_CONNECT_HOST: serverURL, OP_CONNECT_TOKEN: token } = process.env
const client = OnePasswordConnect({ serverURL, token })

test('reads the password of a database', async () => {
  const { id: vaultId } = await client.getVaultByTitle('Shop')
  const { fields } = await client.getItemByTitle(vaultId, 'Orders')
  assert.equal(
    fields.find(({ id }) => id === 'password').value,
    'only-for-tests',
  )
})

test('stores a new item', async () => {
  const [{ id: vaultId }] = await client.listVaults()
  const item = { category: 'PASSWORD', title: 'New', vault: { id: vaultId } }
  const { id } = await client.createItem(vaultId, item)
  assert.equal((await client.getItemById(vaultId, id)).title, 'New')
})

test('is rejected with another token', async () => {
  const stranger = OnePasswordConnect({ serverURL, token: 'unknown' })
  await assert.rejects(stranger.listVaults(), { status: 401 })
})
