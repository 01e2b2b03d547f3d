import { describe, expect, it } from 'vitest'
import { addNotes } from '../../../src/dialects/connect/add-notes.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import { vaultId } from '../../support/items/item-builders.js'

const notes = { id: 'notesPlain', type: 'STRING', purpose: 'NOTES', label: 'notesPlain' }
const username = { id: 'username', type: 'STRING', purpose: 'USERNAME' } as const

describe('addNotes', () => {
  it.each(['LOGIN', 'PASSWORD'])('adds an empty field at the end of a %s', (category) => {
    expect(addNotes(category, [])).toEqual([notes])
    expect(addNotes(category, [username])).toEqual([username, notes])
  })

  it.each(['SECURE_NOTE', 'SERVER', 'API_CREDENTIAL', 'login', undefined])(
    'returns the same fields when the category is %s',
    (category) => {
      const fields = [username]
      expect(addNotes(category, fields)).toBe(fields)
    },
  )

  it.each([
    ['a field for notes', [{ id: 'n', purpose: 'NOTES' }]],
    ['another field with its id', [{ id: 'notesPlain', purpose: 'USERNAME' }]],
    ['1,000 fields', Array.from({ length: 1000 }, (_, index) => ({ id: `${index}` }))],
  ])('returns the same fields when they contain %s', (_, fields) => {
    expect(addNotes('LOGIN', fields)).toBe(fields)
  })

  it('adds the thousandth field', () => {
    const fields = Array.from({ length: 999 }, (_, index) => ({ id: `${index}` }))
    expect(addNotes('LOGIN', fields)).toHaveLength(1000)
  })
})

describe('connectDialect.parseItem: notes', () => {
  const parseFields = (fields?: readonly object[]): unknown =>
    connectDialect.parseItem({ category: 'LOGIN', fields }, { vaultId }).fields

  it('adds a field for notes to a login', () => {
    expect(parseFields()).toEqual([notes])
    expect(parseFields([])).toEqual([notes])
    expect(parseFields([username])).toEqual([username, notes])
    expect(parseFields([{ purpose: 'Notes' }])).toEqual([{ id: 'notesPlain', purpose: 'NOTES' }])
  })

  it('adds none to an item that is changed, so that every form of a change has one result', () => {
    const body = { category: 'LOGIN', fields: [username] }
    const { fields } = connectDialect.parseItem(body, { vaultId, itemId: 'i'.repeat(26) })
    expect(fields).toEqual([username])
  })
})
