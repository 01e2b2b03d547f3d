import { FieldPurpose, FieldType, GeneratorRecipe, ItemBuilder } from '@1password/connect'
import { describe, expect, it } from 'vitest'
import { withClient } from '../support/http/published-client.js'

const { Letters, Digits } = GeneratorRecipe.CharacterSetsEnum
const newId = expect.stringMatching(/^[0189][a-z2-7]{25}$/)

describe('ItemBuilder of the published JavaScript client', () => {
  it('creates an item with every attribute of the builder', () =>
    withClient(async ({ client, vaultId, service, caller }) => {
      const draft = new ItemBuilder()
        .setVault(vaultId)
        .setCategory('LOGIN')
        .setTitle('Mail')
        .addTag('work')
        .addTag('mail')
        .toggleFavorite()
        .addUrl({ href: 'https://mail.example/login', primary: true })
        .addUrl({ href: 'https://mail.example/help' })
        .addSection('Empty section')
        .addField({ label: 'user', purpose: FieldPurpose.Username, value: 'wendy' })
        .addField({ label: 'note', purpose: FieldPurpose.Notes, value: 'two\nlines' })
        .addField({ label: 'PIN', type: FieldType.Concealed, value: '1234', sectionName: 'Card' })
        .addField({
          label: 'until',
          type: FieldType.MonthYear,
          value: '202612',
          sectionName: 'card',
        })
        .addField({ label: 'code', type: FieldType.Otp, value: 'none' })
        .addField()
        .build()
      const { id: itemId = '', ...item } = await client.createItem(vaultId, draft)
      const sections = draft.sections ?? []
      expect(sections.map(({ label }) => label)).toEqual(['Empty section', 'Card'])
      const section = { id: sections[1]?.id }
      expect(item).toMatchObject({
        title: 'Mail',
        category: 'LOGIN',
        vault: { id: vaultId },
        favorite: true,
        tags: ['work', 'mail'],
        version: 1,
        lastEditedBy: 'full',
        urls: [
          { href: 'https://mail.example/login', primary: true },
          { href: 'https://mail.example/help' },
        ],
        sections,
        fields: [
          { id: 'username', type: 'STRING', purpose: 'USERNAME', label: 'user', value: 'wendy' },
          {
            id: 'notesPlain',
            type: 'STRING',
            purpose: 'NOTES',
            label: 'note',
            value: 'two\nlines',
          },
          { id: newId, type: 'CONCEALED', purpose: '', label: 'PIN', value: '1234', section },
          { id: newId, type: 'MONTH_YEAR', purpose: '', label: 'until', value: '202612', section },
          { id: newId, type: 'OTP', purpose: '', label: 'code', value: 'none' },
          { id: newId, type: 'STRING', purpose: '' },
        ],
      })
      expect(await client.getItemById(vaultId, itemId)).toEqual({ ...item, id: itemId })
      const stored = await service.getItem(caller, { vaultId, itemId })
      expect(stored).toMatchObject({ title: 'Mail', favorite: true, version: 1 })
    }))

  it('generates a password of 32 characters for an empty recipe', () =>
    withClient(async ({ client, vaultId }) => {
      const draft = new ItemBuilder()
        .setCategory('PASSWORD')
        .addField({ purpose: FieldPurpose.Password, generate: true, recipe: {} })
        .build()
      const { fields } = await client.createItem(vaultId, draft)
      expect(fields).toMatchObject([
        {
          id: 'password',
          purpose: 'PASSWORD',
          value: expect.stringMatching(/^[\w!@.*-]{32}$/),
          entropy: expect.closeTo(194.712_609_883_9, 9),
        },
        { id: 'notesPlain', purpose: 'NOTES' },
      ])
    }))

  it('generates a password for a recipe', () =>
    withClient(async ({ client, vaultId }) => {
      const recipe = { length: 55, characterSets: [Letters, Digits], excludeCharacters: 'aabc1' }
      const draft = new ItemBuilder()
        .setCategory('LOGIN')
        .addField({ purpose: FieldPurpose.Password, generate: true, recipe })
        .addField({ label: 'PUK', generate: true, recipe: { length: 8, characterSets: [Digits] } })
        .build()
      const { fields = [] } = await client.createItem(vaultId, draft)
      expect(fields[0]?.value).toMatch(/^[A-Zd-z02-9]{55}$/)
      expect(fields[0]?.entropy).toBeCloseTo(322.188_819_387_8, 9)
      expect(fields[1]?.value).toMatch(/^\d{8}$/)
      expect(fields.map((field) => [field.generate, field.recipe])).toEqual([
        [undefined, undefined],
        [undefined, undefined],
        [undefined, undefined],
      ])
    }))

  it('keeps a generated password in updateItem', () =>
    withClient(async ({ client, vaultId }) => {
      const draft = new ItemBuilder()
        .setCategory('LOGIN')
        .addField({ purpose: FieldPurpose.Password, generate: true, recipe: {} })
        .build()
      const item = await client.createItem(vaultId, draft)
      item.tags = ['seen']
      expect(await client.updateItem(vaultId, item)).toEqual(item)
    }))

  it.each([
    ...['LOGIN', 'PASSWORD', 'SERVER', 'DATABASE', 'CREDIT_CARD', 'MEMBERSHIP', 'PASSPORT'],
    ...['SOFTWARE_LICENSE', 'OUTDOOR_LICENSE', 'SECURE_NOTE', 'WIRELESS_ROUTER', 'BANK_ACCOUNT'],
    ...['DRIVER_LICENSE', 'IDENTITY', 'REWARD_PROGRAM', 'DOCUMENT', 'EMAIL_ACCOUNT'],
    ...['SOCIAL_SECURITY_NUMBER', 'API_CREDENTIAL', 'CUSTOM'],
  ])('creates an item of the category %s', (category) =>
    withClient(async ({ client, vaultId }) => {
      const { id = '' } = await client.createItem(
        vaultId,
        new ItemBuilder().setCategory(category).setTitle(category).build(),
      )
      expect(await client.getItem(vaultId, category)).toMatchObject({ id, category })
    }),
  )
})

describe('OPConnect.updateItem with the returned item', () => {
  it('keeps everything, including files and sections', () =>
    withClient(async ({ client, vaultId, item, service, caller }) => {
      await client.updateItem(vaultId, await client.getItemById(vaultId, item.id))
      expect(await service.getItem(caller, { vaultId, itemId: item.id })).toEqual({
        ...item,
        lastEditedBy: 'full',
        version: item.version + 1,
      })
    }))
})
