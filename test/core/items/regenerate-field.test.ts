import { describe, expect, it } from 'vitest'
import { connectDialect } from '../../../src/dialects/connect.js'
import type { Item, RegenerateFieldInput } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { loginDraft } from '../../support/drafts.js'
import { getCurrentItem, itemRef } from '../../support/items/refs.js'
import { invalid, versionMismatch } from '../../support/service/rejections.js'

const emptyRecipe = { characterSets: ['DIGITS'], excludeCharacters: '012345678' } as const

type Changes = Partial<RegenerateFieldInput>

function regenerate(vault: TestVault, changes: Changes = {}): Promise<Item> {
  const input = { ...itemRef(vault), fieldId: 'password', ...changes }
  return vault.service.regenerateField(vault.caller, input)
}

describe('regenerateField', () => {
  it('replaces the value of a password and its entropy, and nothing else', async () => {
    const vault = await createTestVault()
    vault.clock.advance(1000)
    const item = await regenerate(vault)
    const [username, password, pin] = vault.item.fields
    expect(item).toStrictEqual({
      ...vault.item,
      version: 4,
      updatedAt: vault.clock().toISOString(),
      fields: [
        username,
        { ...password, value: item.fields[1]?.value, entropy: expect.any(Number) },
        pin,
      ],
    })
    expect(item.fields[1]?.value).toMatch(/^[A-Za-z\d!@.\-_*]{32}$/)
    expect(item.fields[1]?.entropy).toBeCloseTo(194.71, 2)
    expect(await getCurrentItem(vault)).toEqual(item)
    expect((await regenerate(vault)).fields[1]?.value).not.toBe(item.fields[1]?.value)
  })

  it('follows the recipe, and keeps label and section of a field without a purpose', async () => {
    const vault = await createTestVault()
    const recipe = { characterSets: ['DIGITS'], length: 6 } as const
    const { fields } = await regenerate(vault, { fieldId: 'pin', recipe })
    expect(fields[2]).toStrictEqual({
      ...vault.item.fields[2],
      value: expect.stringMatching(/^\d{6}$/),
    })
  })

  it('generates the first value of a field without one', async () => {
    const vault = await createTestVault()
    const fields = [{ id: 'empty', type: 'CONCEALED', label: 'Empty' }] as const
    const item = await vault.service.replaceItem(vault.caller, {
      ...itemRef(vault),
      item: loginDraft(vault.vaultId, { fields }),
    })
    expect((await regenerate({ ...vault, item }, { fieldId: 'empty' })).fields).toStrictEqual([
      { ...fields[0], value: expect.stringMatching(/^.{32}$/) },
    ])
  })

  it('keeps the replaced value in the history', async () => {
    const vault = await createTestVault({ history: { maxVersions: 5 } })
    await regenerate(vault)
    const version = { ...itemRef(vault), version: 3 }
    expect(await vault.service.getVersion(vault.caller, version)).toEqual(vault.item)
  })

  it('keeps fields of types beyond the contract in the connect dialect', async () => {
    const vault = await createTestVault({ dialect: connectDialect })
    const fields = [
      { id: 'password', purpose: 'PASSWORD', value: 'a' },
      { id: 'otp', type: 'OTP', value: 'b' },
    ] as const
    const item = { ...loginDraft(vault.vaultId, { fields }), urls: [{ href: '' }] }
    await vault.service.replaceItem(vault.caller, { ...itemRef(vault), item })
    expect(await regenerate(vault)).toMatchObject({
      urls: [{ href: '' }],
      fields: [{}, fields[1]],
    })
  })

  it.each<[string, Changes, string]>([
    ['a field that the item lacks', { fieldId: 'nope' }, "The item doesn't have a nope field."],
    ['a strange field id', { fieldId: '<b>' }, "The item doesn't have that field."],
    [
      'a recipe without characters',
      { recipe: emptyRecipe },
      'recipe/excludeCharacters must leave at least two characters',
    ],
    ['an invalid recipe', { recipe: { length: 65 } }, 'recipe/length must be at most 64'],
  ])('rejects %s and writes nothing', async (_, changes, message) => {
    const vault = await createTestVault()
    await expect(regenerate(vault, changes)).rejects.toMatchObject(invalid(message))
    expect(await getCurrentItem(vault)).toEqual(vault.item)
  })

  it('names the path of a field that the item lacks', async () => {
    const work = regenerate(await createTestVault(), { fieldId: 'nope' })
    await expect(work).rejects.toMatchObject({ issues: [{ path: 'fieldId' }] })
  })

  it.each([
    ['DATE', '2026-01-01'],
    ['MONTH_YEAR', '202601'],
  ] as const)('rejects a field of type %s, whatever the recipe is', async (type, value) => {
    const vault = await createTestVault()
    const fields = [{ id: 'day', type, value }] as const
    const item = loginDraft(vault.vaultId, { fields })
    await vault.service.replaceItem(vault.caller, { ...itemRef(vault), item })
    const message = `must not be the id of a field of the type ${type}`
    for (const recipe of [undefined, { excludeCharacters: 'x' }, emptyRecipe])
      await expect(regenerate(vault, { fieldId: 'day', recipe })).rejects.toMatchObject({
        ...invalid(`fieldId ${message}`),
        issues: [{ path: 'fieldId', message }],
      })
  })

  it('rejects an archived item and another version', async () => {
    const vault = await createTestVault()
    await expect(regenerate(vault, { ifVersion: 2 })).rejects.toMatchObject(
      versionMismatch(vault.item.id),
    )
    await vault.service.setItemState(vault.caller, { ...itemRef(vault), state: 'ARCHIVED' })
    await expect(regenerate(vault)).rejects.toMatchObject(
      invalid('an archived item cannot be changed'),
    )
  })
})
