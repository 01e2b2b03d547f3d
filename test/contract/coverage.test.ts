import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPage } from '../support/source/pages.js'

/** A numbered test of the folder: its file, and the number at the beginning of its title. */
interface Tested {
  readonly file: string
  readonly number: string
}

const folder = import.meta.dirname
const tested = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts') && name !== 'coverage.test.ts')
  .flatMap((name) => numbersIn(name, readFileSync(join(folder, name), 'utf8')))
const testedNumbers = tested.map(({ number }) => number)

const page = readPage('docs/contract.md')
/** All pages with decisions. */
const pages = [page, readPage('docs/limits.md'), readPage('docs/connect-server.md')]
const sections = [...page.matchAll(/^\| (\d[\d.]*) \| [^|]+ \| (\d+) \| \[([\w-]+)\]/gm)].map(
  ([, section = '', count = '', file = '']) => ({ section, count: Number(count), file }),
)
/** The numbers of the sentences and rows of the contract, such as `4.1-2`. */
const statements = sections.flatMap(({ section, count }) =>
  Array.from({ length: count }, (_, index) => `${section}-${index + 1}`),
)
/** The numbers of the decisions where the contract leaves something open, such as `limits-8`. */
const decisions = pages.flatMap(decisionsIn)

/** Returns the numbers at the beginning of titles: of `it('…`, and of rows of `it.each`. */
function numbersIn(file: string, text: string): Tested[] {
  const titles = text.matchAll(/(?:\bit\(|\[)\s*['"`]((?:\d+(?:\.\d+)*|[a-z]+(?:-[a-z]+)*)-\d+) /g)
  return [...titles].map(([, number = '']) => ({ file: basename(file, '.test.ts'), number }))
}

/** Returns the numbers in the first column of a page's tables. */
function decisionsIn(text: string): string[] {
  return [...text.matchAll(/^\| ([a-z]+(?:-[a-z]+)*-\d+) \|/gm)].map(([, number = '']) => number)
}

/** Groups numbers such as `limits-8` by their prefix, `limits`. */
function byPrefix(numbers: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>()
  for (const number of numbers) {
    const [, prefix = '', last = ''] = /^(.*)-(\d+)$/.exec(number) ?? []
    found.set(prefix, [...(found.get(prefix) ?? []), Number(last)])
  }
  return found
}

/** Returns the rows without a number in tables whose first column is headed `number`. */
function rowsWithoutNumber(text: string): string[] {
  const tables = text.matchAll(/^\| number \|.*\n\| --- \|.*\n((?:\|.*\n)+)/gm)
  const rows = [...tables].flatMap(([, body = '']) => body.trimEnd().split('\n'))
  return rows.filter((row) => decisionsIn(row).length === 0)
}

describe(`${statements.length} statements of the contract and ${decisions.length} decisions`, () => {
  it('have one test each, and every test belongs to one', () => {
    expect([...testedNumbers].sort()).toEqual([...statements, ...decisions].sort())
  })

  it('are numbered from 1 without a gap', () => {
    for (const [prefix, numbers] of byPrefix(decisions)) {
      const sorted = [...numbers].sort((one, other) => one - other)
      expect([prefix, sorted]).toEqual([prefix, numbers.map((_, index) => index + 1)])
    }
  })

  it.each(sections)('are tested for section $section in the file that the page links', (row) => {
    const { section, count, file } = row
    const files = tested
      .filter(({ number }) => number.replace(/-\d+$/, '') === section)
      .map((test) => test.file)
    expect(files).toEqual(Array.from({ length: count }, () => file))
  })

  it('are tested, where they are decisions, in a file that their heading links', () => {
    for (const text of pages)
      for (const part of text.split(/^## /m).slice(1)) {
        const linked = [...part.matchAll(/\]\(\.\.\/test\/contract\/([\w-]+)\.test\.ts\)/g)]
        const files = linked.map(([, name]) => name)
        for (const number of decisionsIn(part)) {
          const test = tested.find((one) => one.number === number)
          expect([number, files]).toEqual([number, expect.arrayContaining([test?.file])])
        }
      }
  })

  it('have a number in every row of their tables, and no empty cell', () => {
    expect(pages.flatMap(rowsWithoutNumber)).toEqual([])
    const rows = pages.flatMap((text) => text.split('\n'))
    const decided = rows.filter((row) => decisionsIn(row).length > 0)
    expect(decided.filter((row) => /\| *\|/.test(row))).toEqual([])
  })

  it('exist wherever a page refers to one', () => {
    const prefixes = [...byPrefix(decisions).keys()].join('|')
    const named = [...pages.join('\n').matchAll(new RegExp(`\\b(?:${prefixes})-\\d+`, 'g'))].map(
      ([name]) => name,
    )
    expect(named.filter((name) => !decisions.includes(name))).toEqual([])
  })
})
