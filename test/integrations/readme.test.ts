import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findBlocks } from '../support/source/pages.js'

/** The output of the program in `docs/quick-start.md`. start-page.test.ts compares it. */
const output = findBlocks('docs/quick-start.md').find(({ kind }) => kind === 'text')?.text ?? ''

describe('first code of README.md', () => {
  const [code] = findBlocks('README.md')

  it('is the end of examples/quick-start.ts', () => {
    const program = readFileSync('examples/quick-start.ts', 'utf8')
    expect(code?.kind).toBe('js')
    expect(code?.text.split('\n').length).toBeGreaterThan(15)
    expect(program.endsWith(`\n\n${code?.text}`)).toBe(true)
  })

  it('says what each line prints', () => {
    const shown = [
      ...(code?.text ?? '').matchAll(/^console\.log\(.*\)(?: \/\/ (.*)|\n\/\/ (.*))$/gm),
    ]
    expect(shown.map(([, beside, below]) => beside ?? below)).toEqual(output.trim().split('\n'))
  })
})

describe('README.md', () => {
  it('has the commands of a new project and of CI, and exactly two for a clone', () => {
    const commands = findBlocks('README.md').filter(({ kind }) => kind === 'sh')
    expect(commands.map(({ text }) => text)).toEqual([
      'npm install cofferkit\nnpx cofferkit init\n',
      'npx cofferkit serve --store memory --seed seed.json -- npm test\n',
      'npm ci && npm run demo\n',
      'npm ci && npm test\n',
    ])
  })
})
