import { describe, expect, it } from 'vitest'
import { connectDialect } from '../../../src/dialects/connect.js'
import { type CreateItemInput, createCaller, createVaultService } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestClock, createTestVault } from '../../../src/testing.js'
import { loginDraft, noteDraft } from '../../support/drafts.js'
import { forbidden, invalid } from '../../support/service/rejections.js'

describe('createItem', () => {
  it('returns the complete item as version 1, whatever the draft has for what the vault sets', async () => {
    const { service, vaultId } = await createTestVault({
      now: createTestClock('2026-05-04T03:02:01.009Z'),
    })
    const managed = {
      id: 'z'.repeat(26),
      version: 7,
      createdAt: '0001-01-01T00:00:00Z',
      updatedAt: '2030-01-01T00:00:00.123456+01:00',
      lastEditedBy: 'mallory',
      state: 'DELETED' as const,
      files: [{ id: 'x', name: 'planted' }],
    }
    const item = await service.createItem(createCaller({ id: 'wendy', vaults: '*' }), {
      vaultId,
      item: loginDraft(vaultId, { favorite: true, ...managed }),
    })
    expect(item).toStrictEqual({
      id: item.id,
      vault: { id: vaultId },
      category: 'LOGIN',
      title: 'Example',
      favorite: true,
      tags: ['work', 'mail'],
      urls: [{ href: 'https://example.com/login', label: 'website', primary: true }],
      version: 1,
      createdAt: '2026-05-04T03:02:01.009Z',
      updatedAt: '2026-05-04T03:02:01.009Z',
      lastEditedBy: 'wendy',
      sections: [{ id: 'more', label: 'More' }],
      fields: [
        { id: 'username', type: 'STRING', label: 'username', value: 'wendy', purpose: 'USERNAME' },
        {
          id: 'password',
          type: 'CONCEALED',
          label: 'password',
          value: 'correct horse',
          purpose: 'PASSWORD',
        },
        { id: 'pin', type: 'CONCEALED', label: 'PIN', value: '1234', section: { id: 'more' } },
      ],
      files: [],
    })
    expect(item.id).toMatch(/^[0189][a-z2-7]{25}$/)
  })

  it('ignores the content of a file, whatever its length, unless the service is strict', async () => {
    const { service, caller, vaultId } = await createTestVault({ strict: false })
    const create = (content: string) =>
      service.createItem(caller, { vaultId, item: { ...noteDraft(vaultId), files: [{ content }] } })
    const content = 'ABCD'.repeat(4_194_304)
    expect((await create(content)).files).toEqual([])
    await expect(create(`${content}=`)).rejects.toMatchObject({
      issues: [{ path: 'files/0/content', message: 'has an invalid format' }],
    })
  })

  it('keeps inherited attributes when it adds the vault of the item', async () => {
    const { service, caller, vaultId } = await createTestVault()
    class Draft {
      readonly category = 'CUSTOM'
      get title(): string {
        return 'from a getter'
      }
    }
    const { title } = await service.createItem(caller, { vaultId, item: new Draft() })
    expect(title).toBe('from a getter')
  })

  it('ignores a key __proto__ when it adds the vault of the item', async () => {
    const { service, caller, vaultId } = await createTestVault({ strict: false })
    const item = JSON.parse('{"category":"CUSTOM","__proto__":{"title":"inherited"}}')
    expect(await service.createItem(caller, { vaultId, item })).not.toHaveProperty('title')
  })

  it('takes the vault of the item from vaultId when the item has none', async () => {
    for (const dialect of [undefined, connectDialect]) {
      const { service, caller, vaultId } = await createTestVault(dialect && { dialect })
      const item = { category: 'LOGIN', title: 'Mine' } as const
      const created = await service.createItem(caller, { vaultId, item })
      expect(created).toMatchObject({ vault: { id: vaultId }, title: 'Mine' })
      expect(item).toEqual({ category: 'LOGIN', title: 'Mine' })
    }
  })

  it('rejects the vault of the item when it is not vaultId, after the permission', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const other = 'z'.repeat(26)
    const item = noteDraft(other)
    const reader = createCaller({ id: 'reader', vaults: { [vaultId]: 'read' } })
    const denied = service.createItem(reader, { vaultId, item })
    await expect(denied).rejects.toMatchObject(forbidden(vaultId, 'writing'))
    await expect(service.createItem(caller, { vaultId, item })).rejects.toMatchObject({
      issues: [{ path: 'vault/id', message: 'must be the vault of the operation (vaultId)' }],
    })
  })

  it.each<unknown>([
    {},
    { item: {} },
    { item: null },
    { item: { category: 'LOGIN', vault: { id: 'v'.repeat(26) } } },
  ])('rejects %j, which has no vaultId', async (input) => {
    const { service, caller } = await createTestVault()
    const call = service.createItem(caller, input as CreateItemInput)
    await expect(call).rejects.toMatchObject(
      invalid('vaultId must be an id: 26 characters of a-z and 0-9'),
    )
  })

  it.each([null, [], 'text', 5])('rejects the item %j beside a vaultId', async (item) => {
    const { service, caller, vaultId } = await createTestVault()
    const call = service.createItem(caller, { vaultId, item } as never)
    await expect(call).rejects.toMatchObject(invalid('item must be an object'))
  })

  it('has a type that needs vaultId', () => {
    const category = 'LOGIN'
    const vault = { id: 'a'.repeat(26) }
    const inputs: CreateItemInput[] = [
      { vaultId: vault.id, item: { category } },
      { vaultId: vault.id, item: { category, vault } },
      // @ts-expect-error no `vaultId`
      { item: { category, vault } },
    ]
    expect(inputs).toHaveLength(3)
  })

  it('rejects with CONFLICT when the random source repeats an id', async () => {
    const { store, caller, vaultId } = await createTestVault()
    const service = createVaultService({ store, randomBytes: (length) => new Uint8Array(length) })
    const first = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    await expect(
      service.createItem(caller, { vaultId, item: loginDraft(vaultId) }),
    ).rejects.toMatchObject({
      code: 'CONFLICT',
      status: 409,
      message: `item 0${'a'.repeat(25)} already exists`,
    })
    expect(await service.getItem(caller, { vaultId, itemId: first.id })).toStrictEqual(first)
  })

  it('stores one of two items that are created with the same id at the same time', async () => {
    const { store, caller, vaultId } = await createTestVault()
    const service = createVaultService({ store, randomBytes: (length) => new Uint8Array(length) })
    const drafts = [noteDraft(vaultId), loginDraft(vaultId)]
    const [stored, rejected] = await Promise.allSettled(
      drafts.map((item) => service.createItem(caller, { vaultId, item })),
    )
    expect(stored).toMatchObject({ status: 'fulfilled' })
    expect(rejected).toMatchObject({ status: 'rejected', reason: { code: 'CONFLICT' } })
  })

  it('deletes the item again when the record is removed before the item is stored', async () => {
    const inner = createMemoryStore()
    const { vaultId, caller } = await createTestVault({ store: inner })
    const items = `items/${vaultId}`
    const before = await inner.records.list(items, { limit: 9 })
    const store = {
      ...inner,
      records: {
        ...inner.records,
        put: async (...args: Parameters<typeof inner.records.put>) => {
          await inner.records.delete({ collection: 'vaults', id: vaultId }, 1)
          return inner.records.put(...args)
        },
      },
    }
    const creating = createVaultService({ store }).createItem(caller, {
      vaultId,
      item: loginDraft(vaultId),
    })
    await expect(creating).rejects.toMatchObject({ status: 404 })
    expect(await inner.records.list(items, { limit: 9 })).toEqual(before)
  })
})
