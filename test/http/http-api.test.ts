import { describe, expect, it } from 'vitest'
import { httpApiPage } from '../../scripts/http-api.js'

/** The rows of the tables in an operation's section of the page, without their bars. */
function rowsOf(operation: string): readonly string[] {
  const [, section = ''] = httpApiPage().split(`\n## ${operation}\n`)
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row)
}

describe('docs/http-api.md', () => {
  it.each([
    ['attachFile', '`name` | query | string | yes | 1 or more characters'],
    ['getVersion', '`version` | path | integer | yes | at least 1'],
    ['listItems', '`filter` | query | string | no | at most 4096 characters'],
    ['listItems', '`limit` | query | integer | no | extension; at least 1; at most 1000'],
    ['listActivity', '`limit` | query | integer | no | at least 1; at most 1000'],
    ['listActivity', '`offset` | query | integer | no | at least 0'],
    [
      'getItems',
      '`itemIds` | array of string | yes | 1 or more elements; at most 100 elements; unique; `^[\\da-z]{26}$`',
    ],
  ])('says of %s what its schema says: %s', (operation, row) => {
    expect(rowsOf(operation)).toContain(row)
  })
})
