/**
 * Wrong calls that a tired person makes, and what they are told. The compiler holds which of them
 * compile: a line with a mistake that compiles must not have a `@ts-expect-error`.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Guess, Guesses } from './support/guesses/guess.js'
import { httpGuesses } from './support/guesses/http.js'
import { secretsGuesses } from './support/guesses/secrets.js'
import { serviceGuesses } from './support/guesses/service.js'
import { storesGuesses } from './support/guesses/stores.js'

const root = join(import.meta.dirname, '..')
const files: Readonly<Record<string, Readonly<Record<string, Guesses>>>> = {
  service: serviceGuesses,
  stores: storesGuesses,
  secrets: secretsGuesses,
  http: httpGuesses,
}
const groups = Object.values(files).flatMap((file) => Object.entries(file))
const guesses = groups.flatMap(([, group]) => Object.values(group))

describe.each(groups)('%s called wrongly', (_, group) => {
  it.each(Object.entries(group))('say what to do about %s', async (_, guess) => {
    const error = await errorOf(guess)
    if (!('meant' in guess)) return expect(error).toBe('clear' in guess ? guess.clear : guess.vague)
    expect(error).toBeUndefined()
    const page = readFileSync(join(root, guess.meant.page), 'utf8')
    expect(page).toContain(guess.meant.says)
  })
})

describe('guessed calls', () => {
  it.each(Object.entries(files))('in %s have a mistake if they do not compile', (name, file) => {
    const source = readFileSync(join(root, `test/support/guesses/${name}.ts`), 'utf8')
    const mistakes = source.match(/^ *\/\/ @ts-expect-error$/gm) ?? []
    const wrong = Object.values(file).flatMap(Object.values<Guess>)
    expect(mistakes).toHaveLength(wrong.filter(({ compiles }) => !compiles).length)
  })

  it('are compile errors or clear, except for three that are vague', () => {
    expect(guesses.length).toBeGreaterThanOrEqual(136)
    expect(count(true, 'vague')).toBeLessThanOrEqual(3)
    expect(count(false, 'vague')).toBeLessThanOrEqual(5)
  })

  afterAll(() => {
    const columns = ['clear', 'vague', 'meant'] as const
    const toRow = (compiles: boolean): string =>
      columns.map((outcome) => String(count(compiles, outcome)).padStart(8)).join('')
    const lines = [
      `   Wrong calls        clear   vague   meant`,
      `   compile error${toRow(false)}`,
      `   compile      ${toRow(true)}`,
    ]
    process.stdout.write(`\n${lines.join('\n')}\n`)
  })
})

/** Returns the number of calls with an outcome that compile, or that do not. */
function count(compiles: boolean, outcome: 'clear' | 'vague' | 'meant'): number {
  return guesses.filter((guess) => guess.compiles === compiles && outcome in guess).length
}

/** Returns the error that a call throws or rejects with, or undefined. */
async function errorOf({ call }: Guess): Promise<string | undefined> {
  try {
    await call()
    return undefined
  } catch (error) {
    return String(error)
  }
}
