import { describe, expect, it } from 'vitest'
import { readQuery } from '../../src/http/read-query.js'

const known = {
  inline_files: { member: 'inlineFiles', type: 'boolean' },
  filter: { member: 'filter', type: 'string' },
} as const

function inputOf(query: string): Record<string, unknown> {
  const input = {}
  readQuery(known, query, input)
  return input
}

describe('readQuery', () => {
  it.each([
    ['', {}],
    ['inline_files=true', { inlineFiles: true }],
    ['inline_files=false&other=x&other=y', { inlineFiles: false }],
    ['filter=title+eq%20%22a%22', { filter: 'title eq "a"' }],
    ['filter=', { filter: '' }],
    ['filter=a=b', { filter: 'a=b' }],
    ['%69nline_files=true', { inlineFiles: true }],
    ['Inline_Files=true', {}],
    ['__proto__=x&constructor=y', {}],
  ])('reads %j', (query, input) => {
    expect(inputOf(query)).toEqual(input)
  })

  it.each([
    ['inline_files=TRUE', 'inline_files must be true or false'],
    ['inline_files', 'inline_files must be true or false'],
    ['inline_files=true%00', 'inline_files must be true or false'],
    ['inline_files=true&inline_files=false', 'inline_files must not be given twice'],
    ['filter=a&filter=a', 'filter must not be given twice'],
  ])('refuses %j', (query, message) => {
    expect(() => inputOf(query)).toThrow(expect.objectContaining({ status: 400, message }))
  })
})
