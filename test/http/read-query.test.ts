import { describe, expect, it } from 'vitest'
import { InvalidInputError } from '../../src/errors.js'
import { readQuery } from '../../src/http/read-query.js'
import { measureCpuTime } from '../support/cpu-time.js'

const parameters = {
  inline_files: { member: 'inlineFiles', type: 'boolean' },
  filter: { member: 'filter', type: 'string' },
  limit: { member: 'limit', type: 'integer', extension: true },
} as const

const aliases = { inline_content: 'inline_files' }

function inputOf(query: string, options = { extensions: true, aliases: {} }): object {
  const input = {}
  readQuery(parameters, query, input, options)
  return input
}

describe('readQuery', () => {
  it('reads a plain parameter as it reads the same among others', () => {
    const outcome = (query: string, extensions: boolean): unknown => {
      try {
        return inputOf(query, { extensions, aliases })
      } catch (error) {
        return error
      }
    }
    const names = [...Object.keys(parameters), ...Object.keys(aliases), 'other', 'toString']
    for (const extensions of [true, false])
      for (const name of names)
        for (const value of ['', 'true', 'false', '7', 'a.b-c', '1_0'])
          expect(outcome(`${name}=${value}`, extensions)).toEqual(
            outcome(`${name}=${value}&`, extensions),
          )
  })

  it.each([
    ['', {}],
    ['inline_files=true', { inlineFiles: true }],
    ['inline_files=false&other=x&other=y', { inlineFiles: false }],
    ['filter=title+eq%20%22a%22', { filter: 'title eq "a"' }],
    ['filter=title+eq+%22a%2Bb%22', { filter: 'title eq "a+b"' }],
    ['filter=title%20eq%20%22a+b%22', { filter: 'title eq "a+b"' }],
    ['filter=title%20eq%20%22a+b%2Bc%22', { filter: 'title eq "a+b+c"' }],
    ['filter=', { filter: '' }],
    ['filter=a=b', { filter: 'a=b' }],
    ['%69nline_files=true', { inlineFiles: true }],
    ['Inline_Files=true', {}],
    ['__proto__=x&constructor=y', {}],
    ['__proto__=x', {}],
    ['constructor=y', {}],
    ['limit=0', { limit: 0 }],
    ['limit=999999999999999', { limit: 999_999_999_999_999 }],
    ['inline_content=true', {}],
    ['filter=title+eq+"100%"', { filter: 'title eq "100%"' }],
    ['filter=100%%22&other=%FF', { filter: '100%"' }],
    ['filter=%zz%C3%A4%2', { filter: '%zzä%2' }],
    ['filter=%EF%BF%BD&%FF=x&', { filter: '\ufffd' }],
    ['filter=title eq "TV 12"&up=x', { filter: 'title eq "TV 12"' }],
  ])('reads %j', (query, input) => {
    expect(inputOf(query)).toEqual(input)
  })

  // Rows that the contract (4.4-3, order-7 and limits-22) has are left out.
  it.each([
    ['inline_files=true&inline_files=false', 'inline_files must not be given twice'],
    ['filter=a%C3', 'filter must be UTF-8'],
    ['filter=%C3&filter=a', 'filter must be UTF-8'],
    ['filter=%ED%A0%80', 'filter must be UTF-8'],
    ['f%69lter=%C0%AF', 'filter must be UTF-8'],
    ['limit=1%ff', 'limit must be UTF-8'],
    ['inline_files=true%80', 'inline_files must be UTF-8'],
    ['filter=title eq "TV 12"&up"', 'filter must have its ampersands escaped'],
    ['filter=title%20eq%20%22TV%2012%22&up%22', 'filter must have its ampersands escaped'],
    ['filter=title eq "TV 12"& "=x', 'filter must have its ampersands escaped'],
    ['filter=title eq "a"&b=c"', 'filter must have its ampersands escaped'],
    ['limit=x', 'limit must be an integer'],
    ['limit=1.5', 'limit must be an integer'],
    ['limit=0x10', 'limit must be an integer'],
    ['limit=-1', 'limit must be an integer'],
    ['limit=1e3', 'limit must be an integer'],
    ['limit=', 'limit must be an integer'],
    ['limit=1000000000000000', 'limit must be an integer'],
  ])('throws an InvalidInputError when the query is %j', (query, message) => {
    expect(() => inputOf(query)).toThrow(InvalidInputError)
    expect(() => inputOf(query)).toThrow(message)
  })

  it('decodes nothing of unknown parameters', () => {
    const cpuTime = measureCpuTime()
    for (let count = 0; count < 100; count++)
      inputOf(`${'%ff'.repeat(60_000)}&b=${'%ff'.repeat(60_000)}`)
    expect(cpuTime()).toBeLessThan(1000)
  })

  it('ignores extensions when they are not enabled', () => {
    expect(inputOf('limit=x&filter=a', { extensions: false, aliases })).toEqual({ filter: 'a' })
  })

  it('accepts quotes in unknown parameters when the route has no filter', () => {
    const input = {}
    const { inline_files } = parameters
    readQuery({ inline_files }, 'up"&inline_files=true', input, { extensions: true, aliases: {} })
    expect(input).toEqual({ inlineFiles: true })
  })

  it('reads a parameter under an alias, and throws when both names occur', () => {
    const options = { extensions: false, aliases }
    expect(inputOf('inline_content=true', options)).toEqual({ inlineFiles: true })
    for (const [query, message] of [
      ['inline_content=true&inline_files=true', 'inline_files must not be given twice'],
      ['inline_content=%FF', 'inline_files must be UTF-8'],
    ] as const)
      expect(() => inputOf(query, options)).toThrow(message)
  })

  it('ignores an alias whose value is not of the type of the parameter', () => {
    const options = { extensions: false, aliases }
    for (const value of ['', 'x', '%7B%7B%20x%20%7D%7D'])
      expect(inputOf(`inline_content=${value}`, options)).toEqual({})
    expect(() => inputOf('inline_files=x', options)).toThrow('inline_files must be true or false')
  })
})
