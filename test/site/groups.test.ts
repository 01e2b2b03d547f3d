import { describe, expect, it } from 'vitest'
import { groups, markdownIn, startPage } from '../../tools/site/groups.js'
import { findLinks, readPage } from '../support/source/pages.js'

const grouped = groups.flatMap(({ pages }) => pages)
const titles = groups.map(({ title }) => title)

describe('groups', () => {
  it('have every page of docs and of docs/decisions exactly once', () => {
    const decisions = markdownIn('decisions').map((name) => `decisions/${name}`)
    const written = markdownIn('.').filter((name) => name !== startPage)
    const pages = [...written, ...decisions]
    expect([...grouped].sort()).toEqual([...pages].sort())
  })

  it('are Start, Guides, Stores, Operate, Reference, Decisions', () => {
    expect(titles).toEqual(['Start', 'Guides', 'Stores', 'Operate', 'Reference', 'Decisions'])
  })

  it('are the groups under Further in README.md, each with links to its own pages', () => {
    const readme = readPage('README.md')
    const further = readme.slice(readme.indexOf('## Further'))
    const lines = [...further.matchAll(/^- (\w+): (.*)$/gm)].map(([, title = '', line = '']) => ({
      title,
      pages: [...line.matchAll(/\]\(docs\/([\w/-]+)\.md\)/g)].map(([, page]) => page),
    }))
    expect(lines.map(({ title }) => title)).toEqual(titles)
    for (const { title, pages } of lines) {
      const own = groups.find((group) => group.title === title)?.pages
      expect(pages.length).toBeGreaterThan(0)
      expect(own).toEqual(expect.arrayContaining(pages))
    }
  })
})

describe('the start page', () => {
  it('explains each word once', () => {
    const [, words = ''] = readPage('docs/index.md').split('## The words')
    const explained = [...words.matchAll(/(?<!\*)\*(\w+?)s?\*(?!\*)/g)].map(([, word]) => word)
    expect(explained).toEqual([
      ...['vault', 'item', 'field', 'file', 'version', 'caller', 'operation', 'authenticator'],
      ...['handler', 'mount', 'store', 'record', 'blob', 'contract', 'dialect'],
    ])
  })

  it('links to a page of every group', () => {
    const linked = findLinks('docs/index.md').map(({ path }) => path)
    const missing = groups.filter(({ pages }) =>
      pages.every((page) => !linked.includes(`docs/${page}.md`)),
    )
    expect(missing).toEqual([])
  })
})
