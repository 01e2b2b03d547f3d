import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as errors from '../src/errors.js'
import { errorStatuses } from '../src/errors.js'
import { entryPoints } from '../tools/scripts/entry-points.js'
import { withExportsTable } from '../tools/scripts/exports-page.js'
import { groups, repositoryPages } from '../tools/site/groups.js'
import { errorExamples, secretUseReasons } from './support/service/errors.js'
import { findBlocks, findLinks, fragmentsOf, listPages, readPage } from './support/source/pages.js'

const root = join(import.meta.dirname, '..')

describe('Markdown pages', () => {
  it.each(listPages())('%s links only to existing pages and headings', (page) => {
    const broken = findLinks(page).filter(({ path, fragment }) => {
      if (!existsSync(path)) return true
      return fragment !== '' && !fragmentsOf(path).includes(fragment)
    })
    expect(broken).toEqual([])
  })

  it('of docs/ are each in one group of tools/site/groups.ts, or in the repository only', () => {
    const inRepository = repositoryPages.map((name) => `docs/${name}`)
    const pages = listPages().filter(
      (page) =>
        page.startsWith('docs/') &&
        page !== 'docs/index.md' &&
        !inRepository.some((path) => page.startsWith(path)),
    )
    const grouped = groups.flatMap(({ pages: names }) => names.map((name) => `docs/${name}.md`))
    expect(grouped.sort()).toEqual([...pages].sort())
  })

  it('of docs/ are each linked from two other pages at least', () => {
    const home = [...readPage('tools/site/home.md').matchAll(/ link: \/guide\/(.+)/g)]
    const links = listPages()
      .filter((page) => !repositoryPages.some((name) => page.startsWith(`docs/${name}`)))
      .flatMap((page) =>
        [...new Set(findLinks(page).map(({ path }) => path))].filter((path) => path !== page),
      )
    const linked = [...links, ...home.map(([, name]) => `docs/${name}.md`)]
    const rare = groups
      .flatMap(({ pages }) => pages.map((name) => `docs/${name}.md`))
      .filter((page) => linked.filter((path) => path === page).length < 2)
    expect(rare).toEqual([])
  })
})

describe('Code of README.md and docs/', () => {
  it('has at most 80 characters a line, so that the site shows all of it', () => {
    const pages = listPages().filter((page) => /^(?:README|docs\/[^/]+)\.md$/.test(page))
    const long = pages
      .flatMap(findBlocks)
      // The site breaks the lines of messages, outputs and settings.
      .filter(({ kind }) => !['json', 'text', 'yaml'].includes(kind))
      .filter(({ text }) => text.split('\n').some((line) => [...line].length > 80))
    expect(long.map(({ place }) => place)).toEqual([])
  })
})

describe('docs/index.md', () => {
  it('links every page of the site, below a heading for each group', () => {
    const text = readPage('docs/index.md')
    expect(groups.filter(({ title }) => !text.includes(`\n### ${title}\n`))).toEqual([])
    const linked = findLinks('docs/index.md').map(({ path }) => path)
    const paths = groups.flatMap(({ pages }) => pages.map((name) => `docs/${name}.md`))
    expect(paths.filter((path) => !linked.includes(path))).toEqual([])
  })
})

describe('docs/errors.md', () => {
  const rows = [
    ...readPage('docs/errors.md').matchAll(/^\| \[`(\w+)`\]\(#\w+\) \| (\d+) \| `(\w+)` \|/gm),
  ]

  it('has every code with its status', () => {
    const statuses = Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]))
    expect(statuses).toEqual(errorStatuses)
  })

  it('has every class, and none that is not there', () => {
    const { VaultError: _, ...others } = errors
    const classes = Object.keys(others).filter(
      (name) => name.endsWith('Error') && /^[A-Z]/.test(name),
    )
    expect([...new Set(rows.map(([, , , name]) => name))].sort()).toEqual(classes.sort())
  })

  it('has every reason of a SecretUseError', () => {
    const [, section = ''] = readPage('docs/errors.md').split('### SECRET_USE_REFUSED')
    const [table = ''] = section.split('### ')
    const reasons = [...table.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, reason]) => reason)
    expect(reasons).toEqual(secretUseReasons)
  })

  it.each(errorExamples)('names the class of %s', (name, make, code) => {
    const row = rows.find(([, listed]) => listed === code)
    expect([make(errors).code, name]).toEqual([row?.[1], row?.[3]])
  })
})

describe('CONTRIBUTING.md', () => {
  it('names only files that exist, besides those that its examples create', () => {
    const paths =
      readPage('CONTRIBUTING.md').match(/\b(?:src|test|tools|docs)\/[\w/.-]+\.\w+/g) ?? []
    expect(paths.length).toBeGreaterThan(30)
    const missing = paths.filter((path) => !existsSync(path) && !/rename-item|polka/.test(path))
    expect(missing).toEqual([])
  })
})

describe('llms.txt', () => {
  it('lists every page of the site', () => {
    const text = readFileSync('llms.txt', 'utf8')
    const names = groups.flatMap(({ pages }) => pages)
    expect(names.filter((name) => !text.includes(`/docs/${name}.md)`))).toEqual([])
  })

  it('links only to files of the repository that exist', () => {
    const text = readFileSync('llms.txt', 'utf8')
    const { repository } = JSON.parse(readFileSync('package.json', 'utf8'))
    // The package contains the file, but not what it links to.
    const folder = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/`
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    expect(links.length).toBeGreaterThan(20)
    const broken = links.filter(
      (link) => !link.startsWith(folder) || !existsSync(link.slice(folder.length)),
    )
    expect(broken).toEqual([])
  })
})

describe('docs/exports.md', () => {
  it('has the table that npm run generate writes', () => {
    const page = readPage('docs/exports.md')
    expect(page).toBe(withExportsTable(page))
  })

  it('lists exactly the functions, constants and classes of every subpath', async () => {
    const rows = [
      ...readPage('docs/exports.md').matchAll(
        /^\| `(cofferkit[\w/]*)` \| [^|]+ \| (.*) \| \d+ \|$/gm,
      ),
    ]
    const listed = rows.map(([, subpath = '', cell = '']) => [
      subpath,
      [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort(),
    ])
    const exported: [string, string[]][] = []
    for (const { specifier, source } of entryPoints())
      exported.push([specifier, Object.keys(await import(join(root, source))).sort()])
    expect(listed).toEqual(exported)
  })
})
