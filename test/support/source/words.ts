/** Words that the project does not use, and the search for them. */

import ts from 'typescript'

/** A phrase that is not used, in any case and also across a line break. */
export interface BannedPhrase {
  readonly phrase: string
  /** The plain wording, as a hint in the message of the check. */
  readonly instead: string
  /** The phrase is allowed when the text after it matches. */
  readonly unless?: RegExp
}

export const bannedPhrases: readonly BannedPhrase[] = [
  { phrase: 'whoever', instead: 'the caller, the writer' },
  { phrase: 'whomever', instead: 'the caller, the writer' },
  { phrase: 'nobody', instead: 'no caller, unused' },
  { phrase: 'somebody', instead: 'a concurrent writer, another caller' },
  { phrase: 'is told', instead: 'is called with, receives' },
  { phrase: 'are told', instead: 'are called with, receive' },
  { phrase: 'stands', instead: 'is stored, is', unless: /^ for\b/ },
  { phrase: 'lies in', instead: 'is in' },
  { phrase: 'is none', instead: 'does not exist, is invalid' },
  { phrase: 'are none', instead: 'do not exist, are invalid' },
  { phrase: 'for good', instead: 'permanently', unless: /^ (?:and|measure|reasons?)\b/ },
  { phrase: 'anew', instead: 'again' },
  { phrase: 'beneath', instead: 'inner, underlying' },
  { phrase: 'his', instead: 'their, its' },
  {
    phrase: 'as it is',
    instead: 'unchanged',
    unless: /^ (?:\w+(?:ed|en|nt|wn)|made|read|put|in|on|for|no longer)\b/,
  },
  { phrase: 'took back', instead: 'revoked' },
  { phrase: 'taken back', instead: 'revoked' },
  { phrase: 'harms', instead: 'affects' },
]

/** Words that no comment begins with: a comment is a noun phrase or a verb phrase. */
export const bannedBeginnings = ['What', 'Who', 'Whether', 'How much'] as const

/** A banned phrase or beginning, and its line, from 1. */
export interface Find {
  readonly line: number
  readonly found: string
  readonly instead: string
}

/** White space, and the `*` or `//` of a comment that continues on the next line. */
const gap = String.raw`\s+(?:(?:\*|\/\/)\s+)?`
const commentStart = String.raw`(?:\/\*\*?${gap}|(?<!^\s*\/\/[^\n]*\n\s*)\/\/\s+)`

/** Every banned phrase in the text and every comment with a banned beginning, by line. */
export function bannedWordsIn(text: string): readonly Find[] {
  return [...phrasesIn(text), ...beginningsIn(text)].sort((a, b) => a.line - b.line)
}

/** The titles of `describe` and `it` in a test file with banned phrases, by line. */
export function bannedWordsInTitles(source: string): readonly Find[] {
  const file = ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest, true)
  const finds: Find[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(?:describe|it)\b/.test(node.expression.getText(file))) {
      const [title] = node.arguments
      if (title !== undefined && ts.isStringLiteralLike(title)) {
        const { line } = file.getLineAndCharacterOfPosition(title.getStart(file))
        finds.push(...phrasesIn(title.text).map((find) => ({ ...find, line: line + 1 })))
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return finds
}

function phrasesIn(text: string): Find[] {
  return bannedPhrases.flatMap(({ phrase, instead, unless }) => {
    const pattern = new RegExp(String.raw`\b${phrase.replaceAll(' ', gap)}\b`, 'gi')
    return [...text.matchAll(pattern)].flatMap(({ index, 0: match }) => {
      const rest = text.slice(index + match.length, index + match.length + 100)
      const next = rest.replace(new RegExp(`^${gap}`), ' ')
      return unless?.test(next) === true
        ? []
        : [{ line: lineAt(text, index), found: phrase, instead }]
    })
  })
}

function beginningsIn(text: string): Find[] {
  const pattern = new RegExp(`${commentStart}(${bannedBeginnings.join('|')})\\b`, 'gm')
  return [...text.matchAll(pattern)].map(({ index, 0: match, 1: word = '' }) => ({
    line: lineAt(text, index + match.length),
    found: `a comment that begins with "${word}"`,
    instead: 'a noun phrase or a verb phrase',
  }))
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
