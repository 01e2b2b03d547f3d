import { describe, expect, it } from 'vitest'
import { listPages, readPage } from './support/source/pages.js'

const glossary = 'docs/glossary.md'
const terms = [...readPage(glossary).matchAll(/^\| \*\*(.+?)\*\* \| (.+) \|$/gm)].map(
  ([, term = '', meaning = '']) => ({ term, meaning }),
)
const others = listPages()
  .filter((page) => page.startsWith('docs/') && page !== glossary)
  .map((page) => readPage(page).toLowerCase())

describe(glossary, () => {
  it('has every row as a term with a meaning, and no term twice', () => {
    const rows = readPage(glossary).match(/^\| (?!---|term )/gm) ?? []
    expect(terms).toHaveLength(rows.length)
    expect(new Set(terms.map(({ term }) => term)).size).toBe(terms.length)
    expect(terms.length).toBeGreaterThan(40)
  })

  it.each(terms)('explains $term, which another page uses', ({ term }) => {
    const word = new RegExp(String.raw`(?<![\w-])${term.toLowerCase()}(?:s|es)?(?![\w-])`)
    expect(others.some((text) => word.test(text.replace(/\s+/g, ' ')))).toBe(true)
  })

  it.each([
    'vault, item, field, section, purpose, recipe, concealed, caller, store, record, blob, mount',
    'dialect, Connect, secret reference, category, version, ETag, If-Match, KEK, data key, wrap',
  ])('explains %s', (list) => {
    expect(terms.map(({ term }) => term)).toEqual(expect.arrayContaining(list.split(', ')))
  })
})

describe('docs/faq.md', () => {
  const answers = readPage('docs/faq.md')
    .split('\n### ')
    .slice(1)
    .map((text) => {
      const [question = '', ...lines] = text.split('\n')
      return { question, answer: lines.join('\n').split('\n## ')[0]?.trim() ?? '' }
    })

  it('has questions that end with a question mark, each once', () => {
    expect(answers.length).toBeGreaterThan(30)
    for (const { question } of answers) expect(question).toMatch(/\?$/)
    expect(new Set(answers.map(({ question }) => question)).size).toBe(answers.length)
  })

  it.each(answers)('answers in one paragraph of at most 70 words: $question', ({ answer }) => {
    expect(answer).not.toContain('\n\n')
    expect(answer.split(/\s+/).length).toBeGreaterThan(5)
    expect(answer.split(/\s+/).length).toBeLessThanOrEqual(70)
  })
})
