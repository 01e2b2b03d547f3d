import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { listPages, readPage } from './support/source/pages.js'
import {
  bannedBeginnings,
  bannedPhrases,
  bannedWordsIn,
  bannedWordsInTitles,
  type Find,
} from './support/source/words.js'

const sources = ['src', 'examples', 'tools'].flatMap(typeScriptIn)
const tests = typeScriptIn('test').filter((path) => path.endsWith('.test.ts'))

describe('src, site, examples, reliability, bench, docs and README.md', () => {
  it('contain no banned words', () => {
    expectNone([...sources, ...listPages()], bannedWordsIn)
  })
})

describe('test titles', () => {
  it('contain no banned words', () => {
    expectNone(tests, bannedWordsInTitles)
  })
})

describe('bannedWordsIn', () => {
  it.each(bannedPhrases.map(({ phrase }) => phrase))('finds "%s"', (phrase) => {
    const upper = `${phrase.slice(0, 1).toUpperCase()}${phrase.slice(1)}`
    expect(bannedWordsIn(`One.\nTwo ${phrase}. Three.`)).toMatchObject([{ line: 2, found: phrase }])
    expect(bannedWordsIn(`const a = '${upper}, x'`)).toMatchObject([{ line: 1, found: phrase }])
  })

  it.each(bannedPhrases.map(({ phrase }) => phrase).filter((phrase) => phrase.includes(' ')))(
    'finds "%s" across a line break of a comment',
    (phrase) => {
      const [first = '', ...rest] = phrase.split(' ')
      const text = `/**\n * One ${first}\n * ${rest.join(' ')}.\n */\n`
      expect(bannedWordsIn(text)).toMatchObject([{ line: 2, found: phrase }])
      const lines = `  // One ${first}\n  // ${rest.join(' ')}.\n`
      expect(bannedWordsIn(lines)).toMatchObject([{ line: 1, found: phrase }])
    },
  )

  it.each(bannedBeginnings)('finds a comment that begins with "%s"', (word) => {
    const found = `a comment that begins with "${word}"`
    expect(bannedWordsIn(`/** ${word} is stored. */`)).toMatchObject([{ line: 1, found }])
    expect(bannedWordsIn(`/**\n * ${word} is stored.\n */`)).toMatchObject([{ line: 2, found }])
    expect(bannedWordsIn(`const a = 1\n// ${word} is stored.`)).toMatchObject([{ line: 2, found }])
    expect(bannedWordsIn(`const a = 1 // ${word} is stored.`)).toMatchObject([{ line: 1, found }])
  })

  it.each([
    'The record stands for a deleted vault.',
    'The item as it is stored.',
    'The item as it is\n * returned.',
    'Kept for good reasons.',
    'Removed as soon as it is no longer needed.',
    'This history, the whoeverish.',
    'None is left, and none of them.',
    '// One.\n// What follows is the same comment.',
    '/**\n * One.\n * Whether two lines or one.\n */',
    "const url = 'https://What'",
    '## What it protects',
  ])('finds nothing in %j', (text) => {
    expect(bannedWordsIn(text)).toEqual([])
  })
})

describe('bannedWordsInTitles', () => {
  it.each([
    "describe('a key that is none', () => {})",
    "it('a key that is none', () => {})",
    'it(`a key that is none`, () => {})',
    "it.each([1])(\n  'a key that is none', () => {})",
    "describe.each([1])('a key that is none', () => {})",
    "describe('a', () => { it.concurrent.each([[1]])('a key that is none', () => {}) })",
  ])('finds the phrase in %j', (source) => {
    expect(bannedWordsInTitles(source)).toMatchObject([{ found: 'is none' }])
  })

  it.each(["item('is none')", "// it('is none')", "it('a', () => { f('is none') })"])(
    'finds nothing in %j',
    (source) => {
      expect(bannedWordsInTitles(source)).toEqual([])
    },
  )
})

function typeScriptIn(folder: string): string[] {
  return globSync(`${folder}/**/*.{ts,tsx}`, { exclude: ['**/node_modules'] })
}

/** Fails with one line for every find in the files. */
function expectNone(paths: readonly string[], find: (text: string) => readonly Find[]): void {
  const lines = paths.flatMap((path) =>
    find(readPage(path)).map(
      ({ line, found, instead }) => `${path}:${line}: ${found} (instead: ${instead})`,
    ),
  )
  if (lines.length > 0) expect.fail(`${lines.length} banned words\n${lines.join('\n')}`)
}
