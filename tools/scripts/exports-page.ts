/** The table of `docs/exports.md`: what each entry point is, and what it exports. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { entryPoints } from './entry-points.js'

const root = join(import.meta.dirname, '../..')

/** What an entry point exports, by its source. */
interface EntryExports {
  /** The names of functions, constants and classes, in the order of the source. */
  readonly values: readonly string[]
  readonly types: readonly string[]
}

/**
 * Returns the page with a new table.
 * @param page The page with an old one, which is its end.
 */
export function withExportsTable(page: string): string {
  const rows = entryPoints().map(({ specifier, source }) => {
    const text = readFileSync(join(root, source), 'utf8')
    const { values, types } = readExports(source, text)
    const names = values.map((name) => `\`${name}\``).join(', ')
    return `| \`${specifier}\` | ${readSentence(text)} | ${names} | ${types.length} |\n`
  })
  const header = '| Subpath | What it is for | Functions, constants and classes | Types |\n'
  return `${page.slice(0, page.indexOf('| Subpath |'))}${header}| --- | --- | --- | --- |\n${rows.join('')}`
}

/** Returns the first sentence of the comment with which a source begins. */
function readSentence(text: string): string {
  const [, comment = ''] = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(text) ?? []
  const [, sentence] =
    /^(.*?\.)(?: |$)/.exec(comment.replace(/^ \* ?/gm, '').replace(/\s+/g, ' ')) ?? []
  if (sentence === undefined) throw new Error(`the module has no first sentence: ${comment}`)
  return sentence
}

function readExports(source: string, text: string): EntryExports {
  const values: string[] = []
  const types: string[] = []
  for (const statement of ts.createSourceFile(source, text, ts.ScriptTarget.Latest).statements) {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause, isTypeOnly } = statement
      if (exportClause === undefined || !ts.isNamedExports(exportClause))
        throw new Error(`${source} must export by name`)
      for (const element of exportClause.elements)
        (isTypeOnly || element.isTypeOnly ? types : values).push(element.name.text)
    } else if (isExported(statement)) {
      if (ts.isVariableStatement(statement))
        for (const { name } of statement.declarationList.declarations)
          if (ts.isIdentifier(name)) values.push(name.text)
      if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
        values.push(statement.name?.text ?? 'default')
      if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
        types.push(statement.name.text)
    }
  }
  return { values: [...new Set(values)], types }
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false
}
