import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSync } from 'recheck'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const src = join(import.meta.dirname, '../../src')

/** Every regular expression literal in src with its file. */
const patterns = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .flatMap((path) => patternsIn(path, readFileSync(join(src, path), 'utf8')))

/** By default a check gives up or guesses after some milliseconds, which a busy machine needs for it. */
const withoutLimits = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
}

describe('regular expressions in src', () => {
  it('are found', () => {
    expect(patterns.length).toBeGreaterThan(30)
  })

  it.each(patterns)(
    'have no exponential or polynomial running time: $path $source',
    ({ source, flags }) => {
      expect(checkSync(source, flags, withoutLimits).status).toBe('safe')
    },
  )

  it('are reported as vulnerable when they have', () => {
    expect(checkSync('^(?:a+)+$', '').status).toBe('vulnerable')
    expect(checkSync('\\s+$', '').status).toBe('vulnerable')
  })
})

interface Pattern {
  readonly path: string
  readonly source: string
  readonly flags: string
}

function patternsIn(path: string, text: string): Pattern[] {
  const found: Pattern[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { source, flags } = new RegExp(...partsOf(node.text))
      found.push({ source, flags, path })
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return found
}

function partsOf(literal: string): [source: string, flags: string] {
  const end = literal.lastIndexOf('/')
  return [literal.slice(1, end), literal.slice(end + 1)]
}
