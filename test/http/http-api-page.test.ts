import { describe, expect, it } from 'vitest'
import { probes, routes } from '../../src/http/routes.js'
import { describedOperations } from '../../tools/openapi/operations.js'
import { readPage } from '../support/source/pages.js'

const rows = readPage('docs/http-api.md').match(/^\| .*\/.* \|$/gm) ?? []
const [published = '', extended = ''] = readPage('docs/http-api.md').split(
  'With the option `extensions`, there are more:',
)

describe('docs/http-api.md', () => {
  it('has a row for every route and probe', () => {
    const missing = routes.flatMap(({ operation, id = operation, method, path, extension }) => {
      const { summary } = describedOperations[operation]
      const anchor = `<a id="${id.toLowerCase()}"></a>`
      const row = `| ${anchor}\`${operation}\` | ${method} \`${path}\` | ${summary} |`
      return (extension ? extended : published).includes(`${row}\n`) ? [] : [row]
    })
    expect(missing).toEqual([])
    for (const { method, path } of probes)
      expect(rows).toContainEqual(expect.stringContaining(`| ${method} \`${path}\` |`))
  })
})
