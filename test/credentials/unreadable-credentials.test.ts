import {
  createCaller,
  createVaultService,
  DecryptionError,
  InvalidInputError,
  StorageUnavailableError,
} from 'cofferkit'
import { createCredentialHandler, createCredentials } from 'cofferkit/credentials'
import { createEncryptedStore, type KeyProvider } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import { describe, expect, it, vi } from 'vitest'
import { findItemId } from '../../src/credentials/credential-item.js'
import { loginDraft } from '../support/drafts.js'
import { createDamagedStore } from '../support/stores/damaged-store.js'
import { createKeys } from '../support/stores/encrypted-stores.js'

const caller = createCaller({ id: 'wendy', vaults: '*' })
const kinds = {
  stripe: { fields: { key: {}, team: { secret: false, optional: true } } },
  smtp: { fields: { password: {} } },
} as const
const key = 'sk_live_0123456789abcdWXYZ'

/** Credentials in an encrypted store, of which that of stripe is damaged. */
async function setUp(account?: { readonly account: string }) {
  const { store: inner, damage } = createDamagedStore(createMemoryStore())
  const keys = createKeys()
  const store = createEncryptedStore(inner, { keys })
  const onError = vi.fn()
  const service = createVaultService({ store, onError })
  const { id: vaultId } = await service.createVault(caller, { name: 'Acme' })
  const own = createCredentials(service, kinds).of(caller, vaultId)
  await own.save('smtp', { password: 'correct horse' })
  await own.save('stripe', { key }, account)
  await own.save('stripe', { key, team: 'red' }, account)
  const itemId = await findItemId(vaultId, 'stripe', account?.account)
  await damage({ collection: `items/${vaultId}`, id: itemId })
  return { inner, damage, onError, keys, service, vaultId, own, itemId }
}

const unreadable = {
  name: 'stripe',
  version: 2,
  fields: { key: { isSet: false }, team: '' },
  status: 'unreadable',
}

describe('createCredentials with an unreadable item', () => {
  it('shows the status unreadable in describe and list', async () => {
    const { own, itemId } = await setUp()
    expect(await own.describe('stripe')).toEqual({ ...unreadable, itemId })
    const list = await own.list()
    expect(list.map(({ name, status }) => [name, status])).toEqual([
      ['smtp', 'unverified'],
      ['stripe', 'unreadable'],
    ])
    expect(list[1]).toEqual({ ...unreadable, itemId })
  })

  it('describes and lists one with an account', async () => {
    const account = { account: 'live' }
    const { own, itemId } = await setUp(account)
    const view = { ...unreadable, ...account, itemId }
    expect(await own.describe('stripe', account)).toEqual(view)
    const onUnreadable = vi.fn()
    expect(await own.list({ onUnreadable })).toContainEqual(view)
    expect(onUnreadable).not.toHaveBeenCalled()
  })

  it('is not among the rejected, even if it was before', async () => {
    const { service, vaultId, itemId, own, damage } = await setUp()
    expect(await own.listRejected()).toEqual([])
    const rejecting = { stripe: { ...kinds.stripe, verify: async () => false } }
    const rejected = createCredentials(service, rejecting).of(caller, vaultId)
    await own.save('stripe', { key })
    await rejected.verify('stripe')
    expect(await own.listRejected()).toMatchObject([{ status: 'rejected' }])
    await damage({ collection: `items/${vaultId}`, id: itemId })
    expect(await own.listRejected()).toEqual([])
    expect(await own.list()).toContainEqual({ ...unreadable, itemId, version: 4 })
  })

  it('reports one whose record is damaged as well, and shows it after it was saved again', async () => {
    const { own, itemId, damage, vaultId } = await setUp()
    await damage({ collection: `credentials/${vaultId}`, id: itemId })
    const onUnreadable = vi.fn()
    expect((await own.list({ onUnreadable })).map(({ name }) => name)).toEqual(['smtp'])
    const record = { collection: `items/${vaultId}`, id: itemId, version: 2 }
    expect(onUnreadable.mock.calls).toMatchObject([[{ record }]])
    await own.save('stripe', { key })
    const list = await own.list({ onUnreadable })
    expect(list.map(({ name }) => name)).toEqual(['smtp', 'stripe'])
    expect(onUnreadable).toHaveBeenCalledTimes(1)
  })

  it('shows one whose record alone is damaged, and tells the operator', async () => {
    const { own, itemId, damage, vaultId, onError } = await setUp()
    await damage({ collection: `credentials/${vaultId}`, id: itemId })
    await own.save('stripe', { key })
    await damage({ collection: `credentials/${vaultId}`, id: itemId })
    const onUnreadable = vi.fn()
    expect((await own.list({ onUnreadable })).map(({ name }) => name)).toEqual(['smtp', 'stripe'])
    expect(onUnreadable).not.toHaveBeenCalled()
    const collection = `credentials/${vaultId}`
    const record = expect.objectContaining({ collection, id: itemId })
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ record }))
  })

  it('neither takes another damaged item for a credential nor reports it', async () => {
    const { service, vaultId, own, inner } = await setUp()
    const { id } = await service.createItem(caller, { vaultId, item: loginDraft(vaultId) })
    const itemKey = { collection: `items/${vaultId}`, id }
    const stored = await inner.records.get(itemKey)
    await inner.records.put(itemKey, { body: stored?.body ?? new Uint8Array(0) }, 1)
    const onUnreadable = vi.fn()
    expect(await own.list({ onUnreadable })).toHaveLength(2)
    expect(onUnreadable).not.toHaveBeenCalled()
  })

  it('is saved over with every secret, and with no less', async () => {
    const { own, service, vaultId, itemId } = await setUp()
    await expect(own.save('stripe', { team: 'blue' })).rejects.toThrow(InvalidInputError)
    const view = await own.save('stripe', { key })
    expect(view).toMatchObject({ version: 3, status: 'unverified', fields: { team: '' } })
    expect(await own.reveal('stripe', 'key')).toBe(key)
    expect((await service.getItem(caller, { vaultId, itemId })).version).toBe(3)
    expect((await own.save('stripe', { team: 'blue' })).version).toBe(4)
  })

  it('keeps the result of verify after it was saved over', async () => {
    const { service, vaultId } = await setUp()
    const verified = { stripe: { ...kinds.stripe, verify: async () => true } }
    const own = createCredentials(service, verified).of(caller, vaultId)
    expect((await own.save('stripe', { key })).status).toBe('ok')
    expect((await own.describe('stripe')).status).toBe('ok')
  })

  it('is removed', async () => {
    const { own } = await setUp()
    await own.remove('stripe')
    expect((await own.list()).map(({ name }) => name)).toEqual(['smtp'])
    await own.save('stripe', { key })
    expect((await own.describe('stripe')).status).toBe('unverified')
  })

  it('is never one whose key is denied', async () => {
    const { inner, keys, vaultId } = await setUp()
    const denied: KeyProvider = {
      ...keys,
      async unwrap() {
        throw new StorageUnavailableError('denied')
      },
    }
    for (const [provider, Expected] of [
      [denied, StorageUnavailableError],
      [createKeys(), DecryptionError],
    ] as const) {
      const store = createEncryptedStore(inner, { keys: provider })
      const own = createCredentials(createVaultService({ store }), kinds).of(caller, vaultId)
      await expect(own.list()).rejects.toThrow(Expected)
      await expect(own.describe('stripe')).rejects.toThrow(Expected)
      await expect(own.save('stripe', { key })).rejects.toThrow(Expected)
    }
  })
})

describe('createCredentialHandler with an unreadable item', () => {
  it('counts what a list leaves out in a header', async () => {
    for (const [isRecordDamaged, count] of [
      [false, undefined],
      [true, '1'],
    ] as const) {
      const { service, vaultId, itemId, damage } = await setUp()
      if (isRecordDamaged) await damage({ collection: `credentials/${vaultId}`, id: itemId })
      const credentials = createCredentials(service, kinds)
      const options = { authenticate: () => caller, vaultOf: () => vaultId }
      const handler = createCredentialHandler(credentials, options)
      const request = { method: 'GET', url: '/credentials', header: () => undefined, body: null }
      const { status, headers } = await handler(request)
      expect([status, headers['x-cofferkit-unreadable']]).toEqual([200, count])
    }
  })
})
