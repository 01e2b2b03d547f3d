import { type Caller, createCaller, createVaultService } from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import { createEncryptedStore } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import { describe, expect, it } from 'vitest'
import { readLeaseState } from '../../tools/reliability/oauth/lease-state.js'
import { createTokenWorld } from '../support/oauth/token-world.js'
import { createDamagedStore } from '../support/stores/damaged-store.js'
import { createKeys } from '../support/stores/encrypted-stores.js'
import { createInterruptedStore } from '../support/stores/interrupted-store.js'

const mail = { name: 'mail', account: 'wendy', accessToken: 'a' }

describe('createTokenKeeper: save', () => {
  it.each([undefined, connectDialect])(
    'stores the tokens as fields of an item',
    async (dialect) => {
      const world = await createTokenWorld(dialect && { dialect })
      const { provider, service, vaultId, caller, createKeeper } = world
      const tokens = provider.connect()
      const ref = await createKeeper().save(vaultId, { name: 'calendar', ...tokens })
      const { title, category, fields } = await service.getItem(caller, ref)
      expect({ title, category }).toEqual({ title: 'calendar', category: 'API_CREDENTIAL' })
      const concealed = fields.filter(({ type }) => type === 'CONCEALED')
      expect(concealed.map(({ id, value }) => [id, value])).toEqual([
        ['credential', tokens.accessToken],
        ['refresh_token', tokens.refreshToken],
      ])
      expect(await createKeeper().accessToken(ref, caller)).toBe(tokens.accessToken)
    },
  )

  it('names the item after the name and the account', async () => {
    const { service, ref, caller } = await createTokenWorld()
    expect((await service.getItem(caller, ref)).title).toBe('mail (wendy)')
  })

  it('replaces the tokens and keeps the rest of the item when it is called again', async () => {
    const { provider, service, vaultId, ref, caller, createKeeper } = await createTokenWorld()
    const patch = [
      { op: 'add', path: '/tags', value: ['important'] },
      { op: 'add', path: '/fields/-', value: { id: 'note', value: 'kept' } },
      { op: 'remove', path: '/fields/reason' },
    ] as const
    await service.patchItem(caller, { ...ref, patch })
    const tokens = provider.connect()
    expect(await createKeeper().save(vaultId, { ...mail, ...tokens })).toEqual(ref)
    const { tags, fields } = await service.getItem(caller, ref)
    expect(tags).toEqual(['important'])
    expect(fields.map(({ id }) => id)).toContain('reason')
    expect(fields.find(({ id }) => id === 'note')?.value).toBe('kept')
    expect(await createKeeper().accessToken(ref, caller)).toBe(tokens.accessToken)
  })

  it('forgets the refresh token when the new grant has none', async () => {
    const { vaultId, createKeeper, readFields } = await createTokenWorld()
    await createKeeper().save(vaultId, mail)
    expect(await readFields()).toMatchObject({ refresh_token: '', expires_at: '' })
  })

  it('stores the origins as URLs of the item, and keeps them when it is called without', async () => {
    const { service, vaultId, ref, caller, createKeeper } = await createTokenWorld()
    const readUrls = async () =>
      (await service.getItem(caller, ref)).urls?.map(({ href }) => href) ?? []
    expect(await readUrls()).toEqual([])
    await createKeeper().save(vaultId, { ...mail, origins: ['https://api.example.com'] })
    expect(await readUrls()).toEqual(['https://api.example.com'])
    await createKeeper().save(vaultId, mail)
    expect(await readUrls()).toEqual(['https://api.example.com'])
    await createKeeper().save(vaultId, { ...mail, origins: [] })
    expect(await readUrls()).toEqual([])
    const grant = { ...mail, name: 'files', origins: ['https://files.example.com'] }
    const { itemId } = await createKeeper().save(vaultId, grant)
    expect((await service.getItem(caller, { vaultId, itemId })).urls).toHaveLength(1)
  })

  it('uses another item for another vault, name or account', async () => {
    const { service, vaultId, ref, caller, createKeeper } = await createTokenWorld()
    const other = await service.createVault(caller, { name: 'Other' })
    const keeper = createKeeper()
    const refs = [
      ref,
      await keeper.save(vaultId, { name: 'mailwendy', accessToken: 'a' }),
      await keeper.save(vaultId, { name: 'mail', account: '', accessToken: 'a' }),
      await keeper.save(vaultId, { name: 'mail', account: 'zoe', accessToken: 'a' }),
      await keeper.save(other.id, mail),
    ]
    expect(new Set(refs.map(({ itemId }) => itemId)).size).toBe(refs.length)
  })

  it('makes one item when several processes save at the same time', async () => {
    const { service, vaultId, caller, createKeeper } = await createTokenWorld()
    const grant = { name: 'files', accessToken: 'a' }
    await Promise.all(Array.from({ length: 8 }, () => createKeeper().save(vaultId, grant)))
    const filter = 'title eq "files"'
    expect(await service.listItems(caller, { vaultId, filter })).toHaveLength(1)
  })

  it('makes an item active again that is marked as deleted', async () => {
    const { service, vaultId, ref, caller, createKeeper } = await createTokenWorld()
    await service.setItemState(caller, { ...ref, state: 'DELETED' })
    await createKeeper().save(vaultId, mail)
    expect(await createKeeper().accessToken(ref, caller)).toBe('a')
  })

  it('replaces an item that is marked as deleted in one write', async () => {
    const { service, vaultId, ref, caller, createKeeper } = await createTokenWorld()
    const { version } = await service.setItemState(caller, { ...ref, state: 'DELETED' })
    await createKeeper().save(vaultId, { ...mail, accessToken: 'new' })
    const item = await service.getItem(caller, ref)
    expect(item.version).toBe(version + 1)
    expect(await createKeeper().accessToken(ref, caller)).toBe('new')
  })

  it.each([false, true])(
    'begins again when another process makes the item meanwhile, and deletes it: %s',
    async (isDeleted) => {
      const { store, service, serviceOn, vaultId, caller, createKeeper } = await createTokenWorld()
      const grant = { name: 'new', accessToken: 'other' }
      const racing = createInterruptedStore(store, 'items', 'before', async () => {
        const ref = await createKeeper().save(vaultId, grant)
        if (isDeleted) await service.deleteItem(caller, ref)
      })
      const saving = createKeeper({ service: serviceOn(racing) }).save(vaultId, {
        ...grant,
        accessToken: 'own',
      })
      const ref = await saving
      expect(await createKeeper().accessToken(ref, caller)).toBe('own')
      const items = await service.listItems(caller, { vaultId, filter: 'title eq "new"' })
      expect(items.map(({ id, version }) => [id, version])).toEqual([
        [ref.itemId, isDeleted ? 3 : 2],
      ])
    },
  )

  it('keeps a field of a type that the dialect does not accept in a body', async () => {
    const { store, service, vaultId, ref, caller, createKeeper } = await createTokenWorld()
    const connected = createVaultService({ store, dialect: connectDialect })
    const passkey = { id: 'passkey', type: 'PASSKEY', value: 'p' }
    const patch = [
      { op: 'add', path: '/fields/-', value: passkey },
      // Without this field, the passkey is at another index afterwards.
      { op: 'remove', path: '/fields/reason' },
    ] as const
    await connected.patchItem(caller, { ...ref, patch })
    await createKeeper().save(vaultId, { ...mail, accessToken: 'new' })
    const { fields } = await service.getItem(caller, ref)
    expect(fields.find(({ id }) => id === 'passkey')).toMatchObject(passkey)
    expect(await createKeeper().accessToken(ref, caller)).toBe('new')
  })

  it('asks only for saveGrant, and rejects when the caller of the keeper must not call it', async () => {
    const { vaultId, createKeeper } = await createTokenWorld()
    const only = (allowed: boolean): Caller => ({
      id: 'keeper',
      can: (_, __, operation) => (operation === 'saveGrant') === allowed,
    })
    await createKeeper({ caller: only(true) }).save(vaultId, mail)
    const saving = createKeeper({ caller: only(false) }).save(vaultId, mail)
    await expect(saving).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('replaces a damaged item', async () => {
    const { store, damage } = createDamagedStore(createMemoryStore())
    const world = await createTokenWorld({
      store: createEncryptedStore(store, { keys: createKeys() }),
    })
    const { vaultId, ref, caller, createKeeper } = world
    await damage({ collection: `items/${vaultId}`, id: ref.itemId })
    expect(await createKeeper().save(vaultId, mail)).toEqual(ref)
    expect(await createKeeper().accessToken(ref, caller)).toBe('a')
  })

  it('is not marked as refused by a call that has seen the token before it', async () => {
    const { store, vaultId, caller, createKeeper } = await createTokenWorld()
    const grant = { name: 'token without a refresh token', accessToken: 'old' }
    const ref = await createKeeper().save(vaultId, grant)
    const { records } = store
    let hasSaved = false
    const leases: typeof records = {
      ...records,
      async put(key, record, expectedVersion) {
        const isPut = await records.put(key, record, expectedVersion)
        if (!hasSaved && readLeaseState(record.body) === 'calling') {
          hasSaved = true
          await createKeeper().save(vaultId, { ...grant, accessToken: 'new' })
        }
        return isPut
      },
    }
    const keeper = createKeeper({ leases })
    expect(await keeper.accessToken(ref, caller, { rejected: 'old' })).toBe('new')
    expect(hasSaved).toBe(true)
    expect(await createKeeper().accessToken(ref, caller)).toBe('new')
  })

  it('makes the item again when it was deleted', async () => {
    const { service, vaultId, ref, caller, createKeeper } = await createTokenWorld()
    await service.deleteItem(caller, ref)
    expect(await createKeeper().save(vaultId, mail)).toEqual(ref)
    expect(await createKeeper().accessToken(ref, caller)).toBe('a')
  })

  it('rejects with 400 when the item is archived', async () => {
    const { service, vaultId, ref, caller, createKeeper } = await createTokenWorld()
    await service.setItemState(caller, { ...ref, state: 'ARCHIVED' })
    const saving = createKeeper().save(vaultId, mail)
    await expect(saving).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  it.each([
    [{}, ['name', 'accessToken']],
    [{ name: 'mail', accessToken: 'a', expiresInSeconds: '3600' }, ['expiresInSeconds']],
    [{ name: '', accessToken: '' }, ['name', 'accessToken']],
    [{ name: 'mail', accessToken: 'a', refreshToken: null }, ['refreshToken']],
    [{ name: 'mail', accessToken: 'a', account: 7 }, ['account']],
    [{ name: 'mail', accessToken: 'a', expiresInSeconds: -1 }, ['expiresInSeconds']],
    [{ name: 'mail', accessToken: 'a', expiresInSeconds: Number.NaN }, ['expiresInSeconds']],
    [{ name: 'mail', accessToken: 'a', expiresInSeconds: Date.now() }, ['expiresInSeconds']],
    [{ name: 'mail', accessToken: 'a', origins: 'https://a.b' }, ['origins']],
  ])('rejects %o with 400', async (grant, paths) => {
    const { vaultId, createKeeper } = await createTokenWorld()
    const saving = createKeeper().save(vaultId, grant as never)
    await expect(saving).rejects.toMatchObject({ issues: paths.map((path) => ({ path })) })
  })

  it.each([
    [undefined, 'grant must be an object'],
    ['mail', 'grant must be an object'],
    [[mail], 'grant must be an object'],
    [Promise.resolve(mail), 'grant is a promise: is await missing?'],
    [{ ...mail, acount: 'wendy' }, 'grant.acount is unknown, did you mean account?'],
    [{ ...mail, access_token: 'a' }, 'grant.access_token is unknown, did you mean accessToken?'],
    [{ ...mail, expires_in: 60 }, 'grant.expires_in is unknown'],
  ])('rejects %o with TypeError', async (grant, message) => {
    const { vaultId, createKeeper, readFields } = await createTokenWorld()
    const before = await readFields()
    const saving = createKeeper().save(vaultId, grant as never)
    await expect(saving).rejects.toEqual(new TypeError(message))
    expect(await readFields()).toEqual(before)
  })

  it('rejects with the error of the operation when the vault is absent or denied', async () => {
    const { vaultId, createKeeper } = await createTokenWorld()
    const absent = createKeeper().save('0'.repeat(26), mail)
    await expect(absent).rejects.toMatchObject({ code: 'NOT_FOUND', resource: 'vault' })
    const reader = createCaller({ id: 'reader', vaults: { [vaultId]: 'read' } })
    const denied = createKeeper({ caller: reader }).save(vaultId, { ...mail, name: 'other' })
    await expect(denied).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const writer = createCaller({ id: 'writer', vaults: { [vaultId]: 'write' } })
    const unread = createKeeper({ caller: writer }).save(vaultId, mail)
    await expect(unread).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})
