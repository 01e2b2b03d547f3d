import { describe, expect, it } from 'vitest'
import { dots, isConcealed, maskBody } from '../../src/page/browser/concealed.js'
import { fieldTypes as pageTypes } from '../../src/page/browser/field-types.js'
import { fieldTypes, findFieldTypeRules } from '../../src/schema/field.js'

describe('isConcealed', () => {
  it.each([
    ['STRING', undefined, false],
    ['EMAIL', '', false],
    ['URL', undefined, false],
    ['STRING', 'USERNAME', false],
    ['CONCEALED', undefined, true],
    ['TOTP', undefined, true],
    ['STRING', 'PASSWORD', true],
    ['STRING', 'NOTES', true],
    ['CREDIT_CARD_NUMBER', undefined, true],
    ['SSHKEY', undefined, true],
  ] as const)('returns for %s of the purpose %s: %s', (type, purpose, expected) => {
    expect(isConcealed({ type, purpose })).toBe(expected)
  })
})

describe('fieldTypes', () => {
  it('shows the values of the types that describeItem shows', () => {
    const shown = fieldTypes.map((type) => [type, findFieldTypeRules(type)?.isShown])
    expect(shown).toEqual(fieldTypes.map((type) => [type, pageTypes[type].isShown]))
  })
})

describe('maskBody', () => {
  it('masks values, one-time codes and contents, and nothing else', () => {
    const item = {
      title: 'Router',
      fields: [
        { id: 'password', value: 'secret', totp: '123456' },
        { id: 'empty', value: '' },
      ],
      files: [{ name: 'a.txt', content: 'c2VjcmV0' }],
      version: 3,
    }
    expect(maskBody([item])).toEqual([
      {
        title: 'Router',
        fields: [
          { id: 'password', value: dots, totp: dots },
          { id: 'empty', value: '' },
        ],
        files: [{ name: 'a.txt', content: dots }],
        version: 3,
      },
    ])
  })

  it.each([
    ['/title', 'Router', 'Router'],
    ['/tags', ['a'], ['a']],
    ['/urls/0/href', 'https://a.example', 'https://a.example'],
    ['/fields/password/value', 'secret', dots],
    ['/fields/a~1b/label', 'secret', dots],
    ['/fields/password/generate', true, true],
    ['/fields/password', { value: 'secret', label: 'a' }, { value: dots, label: 'a' }],
    ['/fields/-', { value: 'secret' }, { value: dots }],
    ['/fields', [{ value: 'secret' }], [{ value: dots }]],
    ['', { fields: [{ value: 'secret' }] }, { fields: [{ value: dots }] }],
    ['/', { fields: [{ value: 'secret' }] }, { fields: [{ value: dots }] }],
    ['fields/password/value', 'secret', dots],
    ['/titles', 'secret', dots],
  ])('masks the value of a patch of %j', (path, value, expected) => {
    expect(maskBody([{ op: 'add', path, value }])).toEqual([{ op: 'add', path, value: expected }])
  })
})
