import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { itemAttributes, parseInstant } from '../../../src/core/filter/attributes.js'
import { createTestVault } from '../../../src/testing.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { invalid } from '../../support/service/rejections.js'

describe('itemAttributes', () => {
  it.each([
    ...['value', 'values', 'password', 'username', 'notes', 'notesPlain', 'otp', 'totp', 'secret'],
    ...['field', 'fields', 'fields.value', 'fields.label', 'fields.id', 'fields.token', 'token'],
    ...['sections', 'sections.label', 'files', 'files.name', 'files.content', 'item', 'id'],
    ...['urls.label', 'constructor', '__proto__', 'toString', 'title.value', 'hasOwnProperty'],
  ])('has no attribute %s that a filter could compare', async (name) => {
    const { service, caller, vaultId } = await createTestVault()
    const error = invalid(expect.stringContaining('filter must compare one of the attributes'))
    for (const comparison of ['sw "hunter"', 'pr', 'co "2"'])
      await expect(
        service.listItems(caller, { vaultId, filter: `${name} ${comparison}` }),
      ).rejects.toMatchObject(error)
  })

  it('finds nothing by what is in a field, a section or a file', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const { id: itemId } = await service.createItem(caller, {
      vaultId,
      item: {
        vault: { id: vaultId },
        category: 'LOGIN',
        title: 'hay',
        tags: ['hay'],
        urls: [{ href: 'https://hay.example', label: 'needle of a URL' }],
        sections: [{ id: 's', label: 'needle in a section' }],
        fields: [
          { id: 'needle', type: 'CONCEALED', label: 'needle', value: 'needle' },
          {
            id: 'p',
            type: 'CONCEALED',
            purpose: 'PASSWORD',
            value: 'needle',
            section: { id: 's' },
          },
        ],
      },
    })
    const content = new TextEncoder().encode('needle')
    await service.attachFile(caller, { vaultId, itemId, name: 'needle.txt', content })
    for (const name of Object.keys(itemAttributes)) {
      for (const filter of [`${name} co "needle"`, `${name} eq "needle"`, `${name} sw "needle"`]) {
        const listed = await service
          .listItems(caller, { vaultId, filter, ignoreCase: true })
          .catch(({ message }: Error) => message)
        // Times, numbers and flags have no such operator.
        if (typeof listed === 'string') expect(listed).toMatch(/^filter must have /)
        else expect(listed).toEqual([])
      }
    }
  })
})

describe('parseInstant', () => {
  it.each([
    ['2026-01-31T08:00:00Z', Date.UTC(2026, 0, 31, 8)],
    ['2026-01-31t08:00:00z', Date.UTC(2026, 0, 31, 8)],
    ['2026-01-31T08:00:00+09:30', Date.UTC(2026, 0, 30, 22, 30)],
    ['2026-01-31T08:00:00.5-01:00', Date.UTC(2026, 0, 31, 9, 0, 0, 500)],
    ['2026-01-31T08:00:00.123000Z', Date.UTC(2026, 0, 31, 8, 0, 0, 123)],
    ['2026-01-31T08:00:00.123001Z', Date.UTC(2026, 0, 31, 8, 0, 0, 123) + 0.5],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['0000-01-01', -62_167_219_200_000],
  ])('parses %s', (text, milliseconds) => {
    expect(parseInstant(text)).toBe(milliseconds)
  })

  it.each([
    ...['', 'today', '2026', '2026-1-31', '2026-01-31 08:00:00Z', '2026-01-31T08:00:00'],
    ...['2026-02-30', '2026-13-01', '2026-02-29T08:00:00Z', '2026-00-10', '2026-01-00'],
    ...['2026-01-31T25:00:00Z', '2026-01-31T08:60:00Z', '2026-01-31T08:00:00+9:30'],
    ...['2026-01-31T08:00:00.Z', '1769846400000', '2026-01-31T08:00:00Z\n'],
  ])('returns undefined for %j', (text) => {
    expect(parseInstant(text)).toBeUndefined()
  })

  it('parses every date as it was formatted', () => {
    const [min, max] = [new Date('0000-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')]
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
        expect(parseInstant(date.toISOString())).toBe(date.getTime())
      }),
      { numRuns: propertyRuns() },
    )
  })
})
