import { describe, expect, it } from 'vitest'
import { formatSecretReference, parseSecretReference } from '../../src/references.js'
import { invalid } from '../support/service/rejections.js'

const form = 'reference must have the form op://vault/item/[section/]field'
const names =
  'must be 1 or more letters, digits, spaces and the characters -, _ and .: use the id of anything with another name'
const parameter = 'reference must have ?attribute= or ?ssh-format=openssh as its only parameter'
const known =
  'reference must have one of these attributes: value, type, title, id, purpose, otp, access_token, content, size, name'

describe('parseSecretReference', () => {
  it.each([
    ['op://app-prod/db/password', { vault: 'app-prod', item: 'db', field: 'password' }],
    [
      'op://Management/PagerDuty/Admin/email',
      { vault: 'Management', item: 'PagerDuty', section: 'Admin', field: 'email' },
    ],
    ['op://a b/c_d/e.f/g-h', { vault: 'a b', item: 'c_d', section: 'e.f', field: 'g-h' }],
    ['OP://V/I/F', { vault: 'V', item: 'I', field: 'F' }],
    ['op://v/ssh/key.pem', { vault: 'v', item: 'ssh', field: 'key.pem' }],
    ['op://v/i/f?attribute=otp', { vault: 'v', item: 'i', field: 'f', attribute: 'otp' }],
    ['op://v/i/f?attr=Type', { vault: 'v', item: 'i', field: 'f', attribute: 'type' }],
    [
      'op://v/i/f?attribute=access_token',
      { vault: 'v', item: 'i', field: 'f', attribute: 'access_token' },
    ],
    ['op://v/i/f?ATTRIBUTE=TOTP', { vault: 'v', item: 'i', field: 'f', attribute: 'otp' }],
    ['op://v/i/f?ssh-format=openssh', { vault: 'v', item: 'i', field: 'f', sshFormat: 'openssh' }],
  ])('parses %s', (text, expected) => {
    expect(parseSecretReference(text)).toStrictEqual(expected)
  })

  it.each([
    ['', form],
    ['password', form],
    ['op:/v/i/f', form],
    [' op://v/i/f', form],
    ['https://v/i/f', form],
    ['op://v/i', form],
    ['op://v/i/s/f/x', form],
    ['op://v/i?attribute=otp/f', form],
    ['op://v//f', `reference ${names}, in each of its names`],
    ['op:///i/f', `reference ${names}, in each of its names`],
    ['op://v/i/f/', `reference ${names}, in each of its names`],
    ['op://v/i%20j/f', `reference ${names}, in each of its names`],
    ['op://v/R&D/f', `reference ${names}, in each of its names`],
    ['op://v/Büro/f', `reference ${names}, in each of its names`],
    ['op://v/i/f\n', `reference ${names}, in each of its names`],
    ['op://v/i/f#x', `reference ${names}, in each of its names`],
    ['op://v/\u212a/f', `reference ${names}, in each of its names`],
    ['op://v/i/f?attribute=secret', known],
    ['op://v/i/f?attribute=__proto__', known],
    ['op://v/i/f?', parameter],
    ['op://v/i/f?attribute', parameter],
    ['op://v/i/f?attribute=', parameter],
    ['op://v/i/f?attribute=otp&attribute=otp', parameter],
    ['op://v/i/f?attribute=otp?attribute=otp', parameter],
    ['op://v/i/f?ssh-format=pem', parameter],
    ['op://v/i/f?other=1', parameter],
    [7, 'reference must be a string'],
    [undefined, 'reference must be a string'],
    [['op://v/i/f'], 'reference must be a string'],
  ])('rejects %j', (text, message) => {
    expect(() => parseSecretReference(text as string)).toThrow(
      expect.objectContaining(invalid(message)),
    )
  })

  it('accepts 1,024 characters, and no more', () => {
    const text = `op://v/i/${'f'.repeat(1024 - 9)}`
    expect(parseSecretReference(text).field).toHaveLength(1015)
    expect(() => parseSecretReference(`${text}f`)).toThrow(
      'reference must be at most 1024 characters long',
    )
    expect(() => parseSecretReference('op://v/'.repeat(1_000_000))).toThrow('at most 1024')
  })
})

describe('formatSecretReference', () => {
  it.each([
    [{ vault: 'v', item: 'i', field: 'f' }, 'op://v/i/f'],
    [{ vault: 'v', item: 'i', section: 's s', field: 'f' }, 'op://v/i/s s/f'],
    [{ vault: 'v', item: 'i', field: 'f', attribute: 'otp' }, 'op://v/i/f?attribute=otp'],
    [{ vault: 'v', item: 'i', field: 'f', sshFormat: 'openssh' }, 'op://v/i/f?ssh-format=openssh'],
  ] as const)('formats %j', (reference, text) => {
    expect(formatSecretReference(reference)).toBe(text)
  })

  it.each([
    [{ vault: 'a/b' }, `vault ${names}`],
    [{ item: 'i?attribute=otp' }, `item ${names}`],
    [{ section: '' }, `section ${names}`],
    [{ field: 'ü', item: '' }, `item ${names}; field ${names}`],
    [{ field: 7 }, `field ${names}`],
    [{ attribute: 'secret' }, known],
    [{ attribute: 'otp', sshFormat: 'openssh' }, 'sshFormat cannot be combined with attribute'],
    [{ sshFormat: 'pem' }, parameter],
    [{ field: 'f'.repeat(1020) }, 'reference must be at most 1024 characters long'],
  ])('rejects %j', (members, message) => {
    const reference = { vault: 'v', item: 'i', field: 'f', ...members } as never
    expect(() => formatSecretReference(reference)).toThrow(
      expect.objectContaining(invalid(message)),
    )
  })
})
