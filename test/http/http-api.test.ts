import { describe, expect, it } from 'vitest'
import { httpReferencePage } from '../../tools/scripts/http-api.js'

const page = await httpReferencePage()

/** Returns the rows of the tables in an operation's section, without the bars at their ends. */
function rowsOf(operation: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${operation}\n`)
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row)
}

describe('httpReferencePage', () => {
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
  ])('describes %s as its schema does: %s', (operation, row) => {
    expect(rowsOf(operation)).toContain(row)
  })
})
