import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { OnePasswordConnect } from '@1password/connect'
import { connectDialect } from 'cofferkit/connect'
import { createTestVault, itemDraft } from 'cofferkit/testing'
import { archiveUntagged, findCredential, readValue } from './shop.mjs'

const api = itemDraft('API_CREDENTIAL', {
  tags: ['ci'],
  values: { credential: 'key-4711' },
})
const seed = { vaults: [{ name: 'Shop', items: [api, itemDraft('PASSWORD')] }] }

// One vault for all tests: `reset` takes less than a millisecond.
const vault = await createTestVault({ seed, dialect: connectDialect })
const server = await vault.listen()
const { service, caller, vaultId, tokens } = vault
beforeEach(() => vault.reset())
after(() => server.close())

describe('archiveUntagged', () => {
  test('archives items without tags', async () => {
    assert.equal(await archiveUntagged(service, caller, vaultId), 1)
    assert.equal((await vault.findItem(api.title)).state, undefined)
  })

  test('can be called again after a crash at any call', async () => {
    let isKilled = true
    for (let index = 0; isKilled; index++) {
      await vault.reset()
      isKilled = await vault.crash({
        during: () => archiveUntagged(service, caller, vaultId),
        at: (call) => (call.index === index ? 'after' : undefined),
      })
      await archiveUntagged(service, caller, vaultId)
      const states = (await service.listItems(caller, { vaultId })).map(
        ({ state }) => state,
      )
      assert.ok(!states.includes('DELETED'))
    }
  })
})

describe('readValue', () => {
  test('returns the value of a field, and rejects without access', async () => {
    const { id } = await vault.findItem(api.title)
    const path = `/v1/vaults/${vaultId}/items/${id}`
    assert.equal(
      await readValue(vault.fetch, path, tokens.reader, 'credential'),
      'key-4711',
    )
    const failed = readValue(vault.fetch, path, tokens.otherVault, 'credential')
    await assert.rejects(failed, { status: 403 })
  })
})

describe('findCredential', () => {
  test('returns the credential with the published client', async () => {
    const client = OnePasswordConnect({
      serverURL: server.origin,
      token: tokens.reader,
    })
    assert.equal(await findCredential(client, vaultId, api.title), 'key-4711')
    await assert.rejects(findCredential(client, vaultId, 'Missing'), {
      status: 404,
    })
  })
})
