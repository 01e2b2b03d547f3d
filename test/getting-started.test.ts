import { describe, expect, it } from 'vitest'
import { compileErrors } from './support/source/compiler.js'
import { findBlocks, readPage } from './support/source/pages.js'

const pages = ['express', 'fastify', 'hono', 'nextjs'].map(
  (name) => `docs/getting-started-${name}.md`,
)

/** The text of a file of a page. */
function fileOf(page: string, name: string): string | undefined {
  return findBlocks(page).find(({ file }) => file === name)?.text
}

/** `npm run test:all -- build guides` follows each page with the packed package. */
describe('docs/getting-started-*.md', { timeout: 30_000 }, () => {
  it.each(pages)('%s has five steps, from a folder to a tested rule', (page) => {
    const steps = [...readPage(page).matchAll(/^## (\d)\. (.*)$/gm)].map(([, , title]) => title)
    expect(steps).toEqual([
      'Install',
      'Create a vault',
      'Mount it behind your login',
      'Start it and send requests',
      'Test a rule of your own',
    ])
  })

  it.each(pages)('%s needs no other page before its end', (page) => {
    const steps = readPage(page).split('## Before others use it')[0] ?? ''
    expect(steps).not.toMatch(/\]\([\w./-]+\.md/)
  })

  it.each(pages)('%s has fewer than 140 lines of code', (page) => {
    const lines = findBlocks(page)
      .filter(({ kind }) => kind === 'ts')
      .map(({ text }) => text.trimEnd().split('\n').length)
    expect(lines.reduce((sum, count) => sum + count)).toBeLessThan(140)
  })

  it.each(['rotate.ts', 'rotate.test.ts'])('have the same %s', (name) => {
    const texts = pages.map((page) => fileOf(page, name))
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).toBeDefined()
  })

  it.each(['vault.ts', 'tsconfig.json'])('have the same %s, except for Next.js', (name) => {
    const texts = pages.slice(0, 3).map((page) => fileOf(page, name))
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).toBeDefined()
  })
})

describe('createTestVault', { timeout: 30_000 }, () => {
  it('has an item without a seed in projects without strict, such as new ones of Next.js', () => {
    const text = (fileOf(pages[0] ?? '', 'rotate.test.ts') ?? '').replace(
      "import { rotate } from './rotate.ts'",
      'declare const rotate: (...parameters: readonly object[]) => Promise<boolean>',
    )
    const options = { strict: false, exactOptionalPropertyTypes: false }
    expect(compileErrors(new Map([['rotate.test.ts', text]]), options)).toEqual([])
  })
})
