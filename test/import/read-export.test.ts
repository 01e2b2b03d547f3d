import { InvalidInputError } from 'cofferkit'
import { type ImportedItem, type ImportResult, readExport } from 'cofferkit/import'
import { describe, expect, it } from 'vitest'
import { parseOtpauth } from '../../src/base/one-time-code.js'
import { readVector, toBytes, toJson } from '../support/import-vectors.js'

/** Returns the only item of a title. */
function itemOf({ items }: ImportResult, title: string): ImportedItem {
  const [found, ...others] = items.filter(({ item }) => item.title === title)
  if (found === undefined || others.length > 0) throw new Error(`not exactly one ${title}`)
  return found
}

/** Returns the values of the fields of an item by their ids. */
function valuesOf({ item }: ImportedItem): Record<string, string> {
  return Object.fromEntries(item.fields?.map(({ id, value }) => [id, value ?? '']) ?? [])
}

function typesOf({ item }: ImportedItem): Record<string, string | undefined> {
  return Object.fromEntries(item.fields?.map(({ id, type }) => [id, type]) ?? [])
}

describe('readExport of a 1PUX file', () => {
  const result = readExport(readVector('sample.1pux'))

  it('returns the vault, the state, the times and the tags of an item', () => {
    expect(itemOf(result, 'Alarm')).toMatchObject({
      sourceId: '1pux:notenotenotenotenotenotea1',
      state: 'ARCHIVED',
      createdAt: '2021-10-29T15:53:53.000Z',
      updatedAt: '2021-10-29T15:54:32.000Z',
      vault: { id: 'jznqyyqlzsnjkxwmxm2hmpbrze', name: 'Personal' },
      item: { category: 'SECURE_NOTE', tags: [] },
    })
    const { vault } = itemOf(result, 'Deploy key')
    expect(vault).toEqual({ id: 'rr3lr6c2opoggvrete23q72ahi', name: 'Work' })
    expect(itemOf(result, 'Dropbox').item).toMatchObject({
      favorite: true,
      tags: ['work', 'files'],
      urls: [
        { href: 'https://www.dropbox.com/', label: 'website', primary: true },
        { href: 'https://dropbox.example.org/login', label: 'old' },
      ],
    })
  })

  it('splits an address, and keeps dates and months', () => {
    const identity = itemOf(result, 'Wendy')
    expect(valuesOf(identity)).toMatchObject({
      ...{ 'address-street': '1 Main Street', 'address-city': 'Springfield' },
      ...{ 'address-zip': '12345', 'address-state': 'CA', 'address-country': 'us' },
      ...{ birthdate: '315576000', email: 'wendy@example.com', gender: 'female' },
    })
    expect(typesOf(identity)).toMatchObject({ birthdate: 'DATE', email: 'EMAIL', gender: 'MENU' })
    const card = itemOf(result, 'Visa')
    expect(typesOf(card)).toMatchObject({
      expiry: 'MONTH_YEAR',
      ccnum: 'CONCEALED',
      first: 'STRING',
    })
    expect(valuesOf(card)).not.toHaveProperty('validFrom')
  })

  it('returns files with the section of their field', () => {
    expect(
      result.files.map(({ name, sectionId, content }) => [name, sectionId, content.length]),
    ).toEqual([
      ['contract.txt', 'Section_1', 21],
      ['scan.png', undefined, 8],
      ['letter.txt', undefined, 6],
    ])
  })

  it('keeps the fields of an SSH key', () => {
    const key = itemOf(result, 'Deploy key')
    expect(key.item.category).toBe('SSH_KEY')
    expect(Object.keys(valuesOf(key))).toEqual([
      'private_key',
      'public_key',
      'fingerprint',
      'key_type',
    ])
    expect(typesOf(key)['private_key']).toBe('CONCEALED')
  })
})

describe('readExport of an export of Bitwarden', () => {
  const result = readExport(readVector('bitwarden.json'))

  it('returns folders and collections as tags', () => {
    expect(itemOf(result, 'Card').item.tags).toEqual(['Work/Servers'])
    const shared = readExport(readVector('bitwarden.organization.json'))
    expect(itemOf(shared, 'Shared').item.tags).toEqual(['Engineering', 'Ops'])
  })

  it.each([
    ['jbsw y3dp-ehpk 3pxp==', '', 'otpauth://totp/?secret=JBSWY3DPEHPK3PXP'],
    ['JBSWY3DP', '密'.repeat(100), `otpauth://totp/${'%E5%AF%86'.repeat(53)}?secret=JBSWY3DP`],
    ['otpauth://totp/?Secret=JBSW-Y3DP', 'a', 'otpauth://totp/?Secret=JBSW-Y3DP'],
  ])('makes a URL with a code of %j when the title is %j', (totp, name, url) => {
    const items = [{ type: 1, name, login: { totp } }]
    const result = readExport(toJson({ encrypted: false, folders: [], items }))
    expect(result.losses).toEqual([])
    expect(result.items.map(valuesOf)).toMatchObject([{ totp: url }])
    expect(parseOtpauth(url)).toBeDefined()
  })

  it.each([
    'otpauth://totp/a?secret=JBSWY3D1',
    'otpauth://hotp/a?secret=JBSWY3DP&counter=1',
    'otpauth://totp/a?secret=JBSWY3DP&digits=6&digits=8',
    'steam://JBSWY3DP',
    'A'.repeat(500),
  ])('keeps %j and reports that it has no code', (totp) => {
    const items = [{ type: 1, name: 'a', login: { totp } }]
    const result = readExport(toJson({ encrypted: false, folders: [], items }))
    expect(result.losses).toMatchObject([
      { message: 'the one-time password has a form that no code is computed from' },
    ])
    expect(result.items.map(valuesOf)).toMatchObject([{ totp }])
  })

  it('makes a URL of the secret of a one-time password', () => {
    const login = itemOf(result, 'Example')
    expect(valuesOf(login)['totp']).toBe('otpauth://totp/Example?secret=JBSWY3DPEHPK3PXP')
    expect(login.item.urls?.map(({ href }) => href)).toEqual([
      'https://example.com/',
      'https://login.example.com/start',
      'androidapp://com.example.android',
    ])
    expect(itemOf(result, 'Archived').state).toBe('ARCHIVED')
  })

  it('joins the month and the year of a card', () => {
    expect(valuesOf(itemOf(result, 'Card'))['expiry']).toBe('203101')
  })

  it('numbers items with the same id', () => {
    const ids = result.items.map(({ sourceId }) => sourceId)
    const id = 'bitwarden:aa6874e0-c259-41fa-8a18-afa200cf3f3a'
    expect(ids.filter((one) => one.startsWith(id))).toEqual([id, `${id}#2`])
  })

  it('returns the attachments of an archive by their names', () => {
    const { files } = readExport(readVector('bitwarden.zip'))
    expect(files.map(({ name, content }) => [name, content.length])).toEqual([
      ['plan.txt', 9],
      ['photo.bin', 256],
    ])
  })
})

describe('readExport', () => {
  it('returns an empty result when Bitwarden has exported no items', () => {
    const empty = toJson({ encrypted: false, folders: [], items: [] })
    expect(readExport(empty)).toEqual({ format: 'bitwarden', items: [], files: [], losses: [] })
  })

  it.each([
    ['sample.1pux', 'bitwarden', 'the format of the export is 1pux instead of bitwarden'],
    ['bitwarden.json', '1pux', 'the format of the export is bitwarden instead of 1pux'],
    ['bitwarden.zip', '1pux', 'the format of the export is bitwarden instead of 1pux'],
  ] as const)('rejects %s when it must be %s', (name, format, message) => {
    expect(() => readExport(readVector(name), { format })).toThrow(new RegExp(`^${message}$`))
  })

  it('rejects an export of which nothing can be imported, and lists why', () => {
    const items = [
      { id: 'a', type: 1, name: 'A', deletedDate: '2026-01-02T03:04:05Z' },
      { id: 'b', type: 99, name: 'B' },
    ]
    const read = () => readExport(toJson({ encrypted: false, folders: [], items }))
    const trash = 'the item is in the trash'
    const type = 'the type of the item is unknown'
    expect(read).toThrow(`nothing in the export can be imported: ${trash}; ${type}`)
    const error = errorOf(read)
    expect(error).toBeInstanceOf(InvalidInputError)
    expect(error).toMatchObject({
      issues: [
        { path: 'items/0', message: trash },
        { path: 'items/1', message: type },
      ],
    })
  })

  it('rejects limits that are no number of something', () => {
    for (const items of [-1, 1.5, Number.NaN])
      expect(() => readExport(toBytes(''), { limits: { items } })).toThrow(
        new RangeError('options.limits.items must be a whole number of 0 or more'),
      )
  })
})

/** Returns what a function throws. */
function errorOf(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
