import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  emptyItem,
  type FieldState,
  type ItemState,
  newField,
  toDraft,
  toItemState,
  toPatch,
} from '../../src/page/browser/item-draft.js'
import { createTestVault } from '../support/http/checked-handlers.js'

const { service, caller, vaultId } = await createTestVault()

const words = fc.string({ maxLength: 8 })
const types = fc.constantFrom('STRING', 'CONCEALED')
const tags = fc
  .uniqueArray(fc.stringMatching(/^[a-z/~"<]{1,6}$/), { maxLength: 4 })
  .map((all) => all.join(', '))
const urls = fc
  .uniqueArray(fc.webUrl(), { maxLength: 3 })
  .map((all) => all.map((url) => url.replaceAll(/[^\w:/.]/g, '')).join('\n'))

const fields = fc.uniqueArray(
  fc.record({ id: fc.string({ minLength: 1 }), type: types, label: words, value: words }),
  { selector: ({ id }) => id, maxLength: 5 },
)

/** A change of the form: of each field, whether it stays and what it becomes. */
const changes = fc.record({
  title: words,
  isFavorite: fc.boolean(),
  tags,
  urls,
  fields: fc.array(
    fc.record({
      isRemoved: fc.boolean(),
      label: fc.option(words, { nil: undefined }),
      type: types,
      value: fc.option(words, { nil: undefined }),
      hasSection: fc.boolean(),
    }),
    { maxLength: 5 },
  ),
  added: fc.array(fc.record({ label: words, type: types, value: words }), { maxLength: 2 }),
})

describe('toPatch', () => {
  it('makes the item equal to the form', async () => {
    await fc.assert(
      fc.asyncProperty(fields, changes, async (drafts, change) => {
        const sections = [{ id: 's/~', label: 'Section' }]
        const item = await service.createItem(caller, {
          vaultId,
          item: { category: 'LOGIN', title: 'Before', tags: ['a'], sections, fields: drafts },
        })
        const before = toItemState(item)
        const changed = before.fields.flatMap((field, index): FieldState[] => {
          const next = change.fields[index]
          if (next === undefined) return [field]
          const { isRemoved, label = field.label, type, value, hasSection } = next
          const sectionId = hasSection ? 's/~' : ''
          const base = { ...field, label, type, sectionId }
          return isRemoved ? [] : [value === undefined ? base : { ...base, value }]
        })
        const state: ItemState = {
          ...before,
          ...change,
          fields: [...changed, ...change.added.map(newField)],
        }
        const patch = toPatch(item, state)
        const itemId = item.id
        const after = await service.patchItem(caller, { vaultId, itemId, patch })
        expect(
          after.fields.map(({ label = '', type, value = '' }) => [label, type, value]),
        ).toEqual(
          state.fields.map(({ label, type, value, stored }) => [
            label,
            type,
            value ?? stored?.value ?? '',
          ]),
        )
        const { title, isFavorite, tags: allTags } = toItemState(after)
        expect([title, isFavorite, allTags]).toEqual([change.title, change.isFavorite, change.tags])
        expect(after.urls.map(({ href }) => href).join('\n')).toBe(change.urls)
      }),
      { numRuns: 60 },
    )
  })

  it('is empty for an unchanged item, and never contains a value that was not typed', async () => {
    const item = await service.createItem(caller, {
      vaultId,
      item: {
        category: 'LOGIN',
        fields: [
          { id: 'a', type: 'CONCEALED', value: 'secret' },
          { id: 'b', purpose: 'NOTES', value: 'note' },
        ],
      },
    })
    const state = toItemState(item)
    expect(toPatch(item, state)).toEqual([])
    expect(JSON.stringify(state.fields.map(({ stored: _, ...rest }) => rest))).not.toMatch(
      /secret|note"/,
    )
  })

  it('generates a value where there was one', async () => {
    const item = await service.createItem(caller, {
      vaultId,
      item: { category: 'LOGIN', fields: [{ id: 'a', type: 'CONCEALED', value: 'secret' }] },
    })
    const state = toItemState(item)
    const generated = state.fields.map((field) => ({ ...field, isGenerated: true }))
    const patch = toPatch(item, { ...state, fields: generated })
    const after = await service.patchItem(caller, { vaultId, itemId: item.id, patch })
    expect(after.fields[0]?.value).toMatch(/^.{32}$/)
  })
})

describe('toDraft', () => {
  it.each(['LOGIN', 'PASSWORD', 'SECURE_NOTE', 'API_CREDENTIAL', 'CUSTOM'])(
    'creates a new %s',
    async (category) => {
      const state = {
        ...emptyItem(category),
        title: 'New',
        tags: 'a, ,b,a',
        urls: 'https://a.example\n',
      }
      const fields = [...state.fields, newField({ label: 'x', isGenerated: true }), newField()]
      const draft = toDraft({ ...state, fields }, vaultId)
      const item = await service.createItem(caller, { vaultId, item: draft as never })
      expect([item.category, item.title, item.tags]).toEqual([category, 'New', ['a', 'b']])
      expect(item.urls).toEqual([{ href: 'https://a.example', primary: true }])
      expect(item.fields).toHaveLength(fields.length)
    },
  )
})
