import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readPage } from './support/source/pages.js'

describe('docs/security.md', () => {
  const page = readPage('docs/security.md')
  const [, threats = '', appendix = ''] = page.split(/^## (?:Threat model|Appendix: the tests)$/m)

  it('has tests for every section of the threat model', () => {
    const sections = [...threats.matchAll(/^### (.*)$/gm)].map(([, title]) => title)
    const rows = [...appendix.matchAll(/^\| ([^|]*) \| [`].*[`] \|$/gm)].map(([, title]) => title)
    expect(sections.length).toBeGreaterThan(10)
    expect(rows).toEqual(sections)
  })

  it('names only tests and programs that exist', () => {
    const tests = appendix.match(/\btest\/[\w/.-]+/g) ?? []
    const programs = [...appendix.matchAll(/prove -- (\w+)/g)].map(
      ([, name]) => `tools/reliability/${name}.ts`,
    )
    expect(tests.length).toBeGreaterThan(50)
    expect([...tests, ...programs].filter((path) => !existsSync(path))).toEqual([])
  })
})
