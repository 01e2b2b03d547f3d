import { InvalidInputError } from 'cofferkit'
import { describe, expect, it } from 'vitest'
import type { CredentialValues } from '../../src/credentials/credential-kind.js'
import { mergeValues } from '../../src/credentials/merge-values.js'

const kind = {
  fields: {
    key: {},
    pin: { optional: true },
    host: { secret: false },
    team: { secret: false, optional: true },
  },
}
const stored = { key: 'k', pin: 'p', host: 'h', team: 't' }
const merge = (given: unknown, from: CredentialValues = {}) => mergeValues(kind, given, from)

function issuesOf(given: unknown, from?: CredentialValues): readonly string[] {
  try {
    merge(given, from)
    return []
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    return error.issues.map(({ path, message }) => `${path}: ${message}`)
  }
}

describe('mergeValues', () => {
  it('keeps absent values and empty secrets, and tells which secrets', () => {
    expect(merge({}, stored)).toEqual({ values: stored, keptSecrets: ['key', 'pin'] })
    const given = { key: '', host: 'other' }
    const values = { ...stored, host: 'other' }
    expect(merge(given, stored)).toEqual({ values, keptSecrets: ['key', 'pin'] })
    expect(merge({ ...given, key: undefined, pin: 'new' }, stored)).toEqual({
      values: { ...values, pin: 'new' },
      keptSecrets: ['key'],
    })
  })

  it('removes an optional value for null, and a shown one also for an empty text', () => {
    expect(merge({ pin: null, team: '' }, stored).values).toEqual({ key: 'k', host: 'h' })
    expect(merge({ team: null }, stored).values).not.toHaveProperty('team')
  })

  it('requires every value that is not optional', () => {
    const required = ['key: is required', 'host: is required']
    expect(issuesOf({})).toEqual(required)
    expect(issuesOf({ key: '', host: '' })).toEqual(required)
    expect(issuesOf({ key: null, host: null }, stored)).toEqual(required)
    expect(issuesOf({ host: '' }, stored)).toEqual(['host: is required'])
  })

  it.each([' k', 'k ', 'k\n', '\r\nk', '\tk', '\u00a0k', 'k\u200b', '\ufeffk', 'k\u2028'])(
    'rejects the secret %j, which was pasted with what is around it',
    (key) => {
      const message = 'key: must not begin or end with white space'
      expect(issuesOf({ key, host: 'h' })).toEqual([message])
    },
  )

  it('accepts line breaks and blanks inside a secret, and around a value that is shown', () => {
    expect(issuesOf({ key: '-----BEGIN KEY-----\nMII\n-----END KEY-----', host: ' h ' })).toEqual(
      [],
    )
  })

  it('rejects a hint that is sent back', () => {
    const message = 'key: is the hint of the stored value: leave it empty to keep that value'
    expect(issuesOf({ key: '…1234' }, stored)).toEqual([message])
    expect(issuesOf({ key: '…' }, stored)).toEqual([message])
  })

  it('keeps a stored secret that it would not accept', () => {
    expect(merge({}, { ...stored, key: 'k\n' }).values).toHaveProperty('key', 'k\n')
  })

  it('rejects other fields without repeating their names', () => {
    const message = ': unknown value: this credential has only key, pin, host, team'
    expect(issuesOf({ sk_live_1234: '' }, stored)).toEqual([message])
    expect(issuesOf(JSON.parse('{ "__proto__": "x" }'), stored)).toEqual([message])
  })

  it.each([[7], [{}], [['k']], [false]])('rejects %j in place of a text', (key) => {
    expect(issuesOf({ key }, stored)).toEqual(['key: must be a string or null'])
  })

  it.each([[undefined], [null], ['k'], [7], [[]]])('rejects %j in place of values', (given) => {
    expect(issuesOf(given)).toEqual([': the values must be an object'])
  })

  it('ignores what the values inherit', () => {
    expect(issuesOf(Object.create({ key: 'k', host: 'h' }))).toHaveLength(2)
  })
})
