import {
  detectFormat,
  type ImportedItem,
  type ImportResult,
  readBitwarden,
  readChromeCsv,
  readCxf,
  readExport,
  readFirefoxCsv,
  readLastPassCsv,
  readOnePux,
} from 'cofferkit/import'
import { describe, expect, it } from 'vitest'
import { readVector, toBytes, toJson } from '../support/import-vectors.js'
import { runAll } from '../support/run-all.js'
import { writeZip } from '../support/zip-files.js'

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

describe('readOnePux', () => {
  const result = readOnePux(readVector('sample.1pux'))

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

  it('rejects other archives', () => {
    const other = writeZip([{ name: 'export.data', content: toJson({}) }])
    expect(() => readOnePux(other)).toThrow('export.data has no accounts')
    expect(() => readOnePux(readVector('bitwarden.zip'))).toThrow('the archive has no export.data')
    expect(() => readOnePux(readVector('cxf.json'))).toThrow('the file is not a ZIP archive')
    expect(() => readOnePux(new Uint8Array())).toThrow('the file is not a ZIP archive')
  })
})

describe('readBitwarden', () => {
  const result = readBitwarden(readVector('bitwarden.json'))

  it('returns folders and collections as tags', () => {
    expect(itemOf(result, 'Card').item.tags).toEqual(['Work/Servers'])
    const shared = readBitwarden(readVector('bitwarden.organization.json'))
    expect(itemOf(shared, 'Shared').item.tags).toEqual(['Engineering', 'Ops'])
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
    const { files } = readBitwarden(readVector('bitwarden.zip'))
    expect(files.map(({ name, content }) => [name, content.length])).toEqual([
      ['plan.txt', 9],
      ['photo.bin', 256],
    ])
  })

  it.each([
    ['bitwarden.password.json', 'is protected by a password: export again as ".json" without'],
    ['bitwarden.account.json', 'is encrypted with the key of an account: export again as ".json"'],
    ['cxf.json', 'the JSON is not an export of Bitwarden'],
    ['chrome.csv', 'the text is not valid JSON'],
    ['sample.1pux', 'the archive has no data.json'],
  ])('rejects %s', (name, message) => {
    expect(() => readBitwarden(readVector(name))).toThrow(message)
  })
})

describe('readChromeCsv', () => {
  it('gives a row the same source id when only its password or note changes', () => {
    const read = (row: string) => {
      const bytes = toBytes(`name,url,username,password,note\n${row}\n`)
      return readChromeCsv(bytes).items.map(({ sourceId }) => sourceId)
    }
    const ids = read('a,https://a.example,wendy,one,')
    expect(read('a,https://a.example,wendy,two,note')).toEqual(ids)
    expect(read('a,https://a.example,simon,one,')).not.toEqual(ids)
  })

  it('keeps both of two rows with the same identity', () => {
    const { items } = readChromeCsv(readVector('chrome.csv'))
    expect(items.filter(({ item }) => item.title === 'example.com')).toHaveLength(2)
    expect(items.map(({ item }) => item.title)).toContain('nameless.example.com:8443')
  })

  it('shows nothing of the first row of a file without a header', () => {
    const read = () => readChromeCsv(toBytes('https://a.example,wendy,SWORDFISH-1\n'))
    expect(read).toThrow('the header of the CSV has no column name, url, username, password')
    const extra = toBytes('name,url,username,password,SWORDFISH-1\na,b,c,d,e\n')
    expect(readChromeCsv(extra).losses).toMatchObject([
      { path: 'rows/0/url' },
      { path: 'columns/4' },
    ])
  })
})

describe('readFirefoxCsv', () => {
  it('returns times, the realm, and a form that is sent elsewhere', () => {
    const result = readFirefoxCsv(readVector('firefox.csv'))
    expect(itemOf(result, 'router.example.com:8443')).toMatchObject({
      sourceId: 'firefox:2f1a4cf5-a5a3-4a49-9ba8-5a3a25a01d0b',
      createdAt: '2020-05-11T10:50:10.000Z',
      updatedAt: '2020-09-04T04:36:50.000Z',
    })
    expect(valuesOf(itemOf(result, 'router.example.com:8443'))['httprealm']).toBe('Restricted')
    const form = itemOf(result, 'form.example.com')
    expect(valuesOf(form)['formactionorigin']).toBe('https://sso.example.com')
    expect(form).not.toHaveProperty('createdAt')
    expect(valuesOf(itemOf(result, 'example.com'))).not.toHaveProperty('formactionorigin')
  })
})

describe('readLastPassCsv', () => {
  const result = readLastPassCsv(readVector('lastpass.csv'))

  it('returns folders, favorites and notes', () => {
    const login = itemOf(result, 'Example').item
    expect(login).toMatchObject({ category: 'LOGIN', favorite: true, tags: ['Work/Servers'] })
    expect(itemOf(result, 'Plain note').item).toMatchObject({ category: 'SECURE_NOTE', urls: [] })
  })

  it('returns the fields of a template, with values of several lines', () => {
    const card = itemOf(result, 'Card')
    expect(card.item.category).toBe('CREDIT_CARD')
    expect(valuesOf(card)).toMatchObject({
      ...{ 'Name on Card': 'Wendy Appleseed', 'Expiration Date': 'January,2031' },
      notesPlain: 'first: line\nsecond line',
    })
    expect(valuesOf(card)).not.toHaveProperty('Start Date')
    const key = valuesOf(itemOf(result, 'SSH'))['Private Key']
    expect(key).toMatch(
      /^-----BEGIN OPENSSH PRIVATE KEY-----\n.+\n-----END OPENSSH PRIVATE KEY-----$/,
    )
    expect(typesOf(itemOf(result, 'SSH'))['Private Key']).toBe('CONCEALED')
  })
})

describe('readCxf', () => {
  const result = readCxf(readVector('cxf.json'))

  it('returns the parameters of a one-time password', () => {
    expect(valuesOf(itemOf(result, 'Forge'))['totp']).toBe(
      'otpauth://totp/Forge%20Inc%3Awendy%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Forge%20Inc&algorithm=SHA256&digits=8&period=30',
    )
  })

  it('returns an SSH key as PEM', () => {
    expect(valuesOf(itemOf(result, 'SSH'))['private_key']).toBe(
      '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n-----END PRIVATE KEY-----\n',
    )
    const item = { title: 'a', credentials: [{ type: 'ssh-key', privateKey: 'not base64!' }] }
    const odd = readCxf(toJson({ accounts: [{ items: [item] }] }))
    expect(valuesOf(itemOf(odd, 'a'))['private_key']).toBe('not base64!')
    expect(odd.losses).toHaveLength(1)
  })

  it('returns collections as tags, and the categories of the credentials', () => {
    expect(itemOf(result, 'API key').item.tags).toEqual(['Work'])
    expect(itemOf(result, 'SSH').item.tags).toEqual(['Work/Servers'])
    expect(result.items.map(({ item }) => item.category)).toEqual([
      ...['LOGIN', 'LOGIN', 'CREDIT_CARD', 'WIRELESS_ROUTER', 'SECURE_NOTE', 'DRIVER_LICENSE'],
      ...['IDENTITY', 'SSH_KEY', 'DOCUMENT', 'IDENTITY', 'PASSPORT', 'API_CREDENTIAL'],
      ...['PASSWORD', 'CUSTOM'],
    ])
  })

  it('tags items with their account if there is more than one', () => {
    const account = (name: string) => ({ username: name, items: [{ id: name, title: name }] })
    const read = (...names: string[]) => readCxf(toJson({ accounts: names.map(account) })).items
    expect(read('a', 'b').map(({ item }) => item.tags)).toEqual([['a'], ['b']])
    expect(read('a').map(({ item }) => item.tags)).toEqual([[]])
  })

  it('rejects another major version, and other JSON', () => {
    const other = toJson({ version: { major: 2, minor: 0 }, accounts: [] })
    expect(() => readCxf(other)).toThrow('version must be 1 of the Credential Exchange Format')
    const message = 'the JSON is not in the Credential Exchange Format'
    for (const value of [{}, [], 1, null, { items: [] }, { encrypted: false, items: [], id: 'a' }])
      expect(() => readCxf(toJson(value))).toThrow(message)
  })
})

describe('detectFormat', () => {
  it.each([
    ['', undefined],
    ['{}', undefined],
    ['{"items":', undefined],
    ['PK\u0003\u0004', undefined],
    ['url,username,password', undefined],
    ['"name","url","username","password","note"\n', 'chrome'],
    ['Name,URL,Username,Password,Note\r\n', 'chrome'],
    ['{"encrypted":true,"passwordProtected":true,"data":""}', 'bitwarden'],
    ['{"items":[],"folders":[]}', 'bitwarden'],
    ['{"version":{"major":1,"minor":0},"accounts":[]}', 'cxf'],
  ])('recognizes %j as %s', (text, format) => {
    expect(detectFormat(toBytes(text))).toBe(format)
    if (format === undefined)
      expect(() => readExport(toBytes(text))).toThrow('the format of the export is not recognized')
  })

  it('returns undefined for an export that exceeds a limit', () => {
    expect(detectFormat(readVector('cxf.json'), { limits: { textBytes: 9 } })).toBeUndefined()
  })

  it('rejects limits that are no number of something', () => {
    for (const items of [-1, 1.5, Number.NaN])
      expect(() => detectFormat(toBytes(''), { limits: { items } })).toThrow(
        new RangeError('options.limits.items must be a whole number of 0 or more'),
      )
  })
})

describe('readExport of a file that was made to take long', () => {
  const encode = (text: string) => new TextEncoder().encode(text)

  it('rejects a CSV with more than 1,000 columns', () => {
    const csv = `name,url,username,password${','.repeat(1000)}\na`
    expect(() => readChromeCsv(encode(csv))).toThrow('the CSV has more than 1000 columns')
  })

  it('gives the tags of an id to one item, when many have it', () => {
    const items = Array.from({ length: 300 }, () => ({ id: 'i', title: 't', credentials: [] }))
    const collections = Array.from({ length: 300 }, (_, index) => ({
      id: `c${index}`,
      title: `c${index}`,
      items: [{ item: 'i' }],
    }))
    const account = { id: 'a', username: 'u', email: 'e', items, collections }
    const header = { version: { major: 1, minor: 0 }, exporterRpId: 'x', accounts: [account] }
    const { items: read } = readCxf(encode(JSON.stringify(header)))
    const tags = read.reduce((sum, { item }) => sum + (item.tags?.length ?? 0), 0)
    expect(tags).toBeLessThanOrEqual(300)
  })

  it.runIf(runAll)('reads a URL of millions of characters', () => {
    const csv = `name,url,username,password\nn,${'a.'.repeat(6_000_000)},u,p`
    expect(readChromeCsv(encode(csv)).items).toHaveLength(1)
  })
})
