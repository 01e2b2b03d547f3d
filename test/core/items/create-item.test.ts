import { describe, expect, it } from 'vitest'
import { createCaller, createVaultService, type ItemDraft } from '../../../src/index.js'
import { createTestClock, createTestVault, loginDraft, noteDraft } from '../../../src/testing.js'
import { invalid } from '../../support/service/rejections.js'

describe('createItem', () => {
  it('returns the complete item as version 1 with the time and the caller', async () => {
    const { service, vaultId } = await createTestVault({
      now: createTestClock('2026-05-04T03:02:01.009Z'),
    })
    const item = await service.createItem(createCaller('wendy', '*'), {
      vaultId,
      item: loginDraft(vaultId, { favorite: true }),
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
    expect(item.id).toMatch(/^[a-z2-7]{26}$/)
  })

  it('uses empty arrays and `favorite: false` by default', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const item: ItemDraft = { category: 'CUSTOM', vault: { id: vaultId } }
    const created = await service.createItem(caller, { vaultId, item })
    expect(created).toMatchObject({ favorite: false, tags: [], urls: [], sections: [], fields: [] })
    expect(created).not.toHaveProperty('title')
    expect(created).not.toHaveProperty('state')
  })

  it('returns the item that getItem returns afterwards', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const item = loginDraft(vaultId, {
      fields: [{ id: 'password', purpose: 'PASSWORD', generate: true }],
    })
    const created = await service.createItem(caller, { vaultId, item })
    const found = await service.getItem(caller, { vaultId, itemId: created.id })
    expect(found).toStrictEqual(created)
    expect(found.fields[0]).toMatchObject({
      value: expect.stringMatching(/^[A-Za-z0-9!@.\-_*]{32}$/),
    })
    expect(found.fields[0]?.entropy).toBeCloseTo(194.7126098839, 9)
  })

  it('ignores the members that the vault manages', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const managed = {
      id: 'z'.repeat(26),
      version: 7,
      createdAt: '0001-01-01T00:00:00Z',
      updatedAt: '2030-01-01T00:00:00.123456+01:00',
      lastEditedBy: 'mallory',
      state: 'DELETED' as const,
      files: [{ id: 'x', name: 'planted' }],
    }
    const item = { ...noteDraft(vaultId), ...managed }
    const created = await service.createItem(caller, { vaultId, item })
    expect(created).toMatchObject({
      version: 1,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      lastEditedBy: 'tester',
      files: [],
    })
    expect(created.id).not.toBe(managed.id)
    expect(created).not.toHaveProperty('state')
  })

  it('removes unknown members at every level', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const extra = { trashed: true }
    const item = {
      category: 'LOGIN' as const,
      vault: { id: vaultId, ...extra },
      urls: [{ href: 'https://a.example', ...extra }],
      sections: [{ id: 's', ...extra }],
      fields: [{ id: 'f', label: 'F', entropy: 7, section: { id: 's', ...extra }, ...extra }],
      ...extra,
    }
    const created = await service.createItem(caller, { vaultId, item })
    expect(created.vault).toStrictEqual({ id: vaultId })
    expect(created.urls).toStrictEqual([{ href: 'https://a.example' }])
    expect(created.sections).toStrictEqual([{ id: 's' }])
    expect(created.fields).toStrictEqual([
      { id: 'f', type: 'STRING', label: 'F', section: { id: 's' } },
    ])
    expect(created).not.toHaveProperty('trashed')
  })

  it('adds a new field for a draft with only an id', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const item = noteDraft(vaultId, { fields: [{ id: 'bare' }] })
    const created = await service.createItem(caller, { vaultId, item })
    expect(created.fields).toStrictEqual([{ id: 'bare', type: 'STRING' }])
  })

  it.each<[string, (vaultId: string) => unknown, string]>([
    ['an unknown category', (id) => ({ ...noteDraft(id), category: 'X' }), 'Invalid item category'],
    ['no category', (id) => ({ vault: { id } }), 'Invalid item category'],
    [
      'another vault',
      () => noteDraft('z'.repeat(26)),
      'vault/id must be the vault of the operation',
    ],
    ['no vault', () => ({ category: 'LOGIN' }), 'vault must be an object'],
    ['no body', () => undefined, 'must be an object'],
    ['an array', () => [], 'must be an object'],
    [
      'two fields with the same id',
      (id) =>
        noteDraft(id, {
          fields: [
            { id: 'a', label: '' },
            { id: 'a', label: '' },
          ],
        }),
      'fields/1/id must not be the id of another field',
    ],
  ])('rejects %s and stores nothing', async (_, bodyFor, message) => {
    const { service, caller, vaultId } = await createTestVault()
    const item = bodyFor(vaultId) as ItemDraft
    await expect(service.createItem(caller, { vaultId, item })).rejects.toMatchObject(
      invalid(message),
    )
    expect(await service.listItems(caller, { vaultId })).toHaveLength(1)
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
      message: `item ${'a'.repeat(26)} already exists`,
    })
    expect(await service.getItem(caller, { vaultId, itemId: first.id })).toStrictEqual(first)
  })

  it('generates a unique id for each item', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const creations = Array.from({ length: 100 }, () =>
      service.createItem(caller, { vaultId, item: noteDraft(vaultId) }),
    )
    expect(new Set((await Promise.all(creations)).map(({ id }) => id)).size).toBe(100)
  })
})
