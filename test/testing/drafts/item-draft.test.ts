import { connectDialect } from 'cofferkit/connect'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { ItemCategory } from '../../../src/index.js'
import { templates } from '../../../src/testing/drafts/templates.js'
import { createTestVault, type DraftChanges, itemDraft } from '../../../src/testing.js'

const categories = Object.keys(templates) as ItemCategory[]

describe('itemDraft', () => {
  it('has 22 categories', () => {
    expect(categories).toHaveLength(22)
  })

  it.each(categories)(
    'returns a draft of %s that services of both dialects store',
    async (name) => {
      const draft = itemDraft(name)
      for (const dialect of [undefined, connectDialect]) {
        const { service, caller, vaultId } = await createTestVault({
          ...(dialect && { dialect }),
          strict: true,
        })
        const item = await service.createItem(caller, { vaultId, item: draft })
        expect(item).toMatchObject(draft)
        expect(item.fields).toHaveLength(draft.fields.length)
      }
    },
  )

  it('returns a draft that a seed contains', async () => {
    const items = categories.map((category) => itemDraft(category, { title: category }))
    const world = await createTestVault({ seed: { vaults: [{ name: 'All', items }] } })
    expect(world.vaults[0]?.items.map(({ title }) => title)).toEqual(categories)
  })

  it('returns fields to which others can be added', async () => {
    const draft = itemDraft('DATABASE', { values: { password: 'hunter2' } })
    const token = { id: 'token', label: 'token', type: 'CONCEALED', value: 'abc' } as const
    const { service, caller, vaultId } = await createTestVault()
    const item = { ...draft, fields: [...draft.fields, token] }
    const { fields } = await service.createItem(caller, { vaultId, item })
    expect(fields.at(-1)).toEqual(token)
    expect(fields).toHaveLength(draft.fields.length + 1)
  })

  it('replaces values of fields, and members', () => {
    const changes = { title: 'Orders', tags: ['a'], values: { port: '1', notesPlain: 'x' } }
    const { title, tags, fields } = itemDraft('DATABASE', changes)
    const valueOf = (id: string) => fields.find((field) => field.id === id)?.value
    expect([title, tags, valueOf('port'), valueOf('notesPlain')]).toEqual([
      'Orders',
      ['a'],
      '1',
      'x',
    ])
    expect(valueOf('database')).toBe('orders')
    expect(itemDraft('LOGIN', { fields: [] }).fields).toEqual([])
  })

  it('uses the default of a member or a value that is undefined', () => {
    const changes = { title: undefined, urls: undefined, sections: undefined, fields: undefined }
    const draft = itemDraft('LOGIN', { ...changes, values: { password: undefined } })
    expect(draft).toEqual(itemDraft('LOGIN'))
  })

  it('knows the fields of each category as types', () => {
    type Values<Category extends ItemCategory> = keyof NonNullable<DraftChanges<Category>['values']>
    expectTypeOf<Values<'PASSWORD'>>().toEqualTypeOf<'password' | 'notesPlain'>()
    expectTypeOf<Values<'DOCUMENT'>>().toEqualTypeOf<'notesPlain'>()
    // @ts-expect-error: a login has no port.
    expect(() => itemDraft('LOGIN', { values: { port: '1' } })).toThrow(TypeError)
  })

  it('returns a new object every time', () => {
    expect(itemDraft('SERVER')).toEqual(itemDraft('SERVER'))
    expect(itemDraft('SERVER').fields).not.toBe(itemDraft('SERVER').fields)
  })
})
