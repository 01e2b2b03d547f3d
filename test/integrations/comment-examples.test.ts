import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type CommentExample, listCommentExamples } from '../support/source/comment-examples.js'
import { compileErrors, exportsOfEntries, withoutDom } from './support/source/compiler.js'
import { fromHere } from './support/source/from-here.js'

const entries = exportsOfEntries()
const exported = new Set([...entries.values()].flat())

/** The app of a reader, which examples are added to. */
const app = './support/source/app-of-reader'
const textOfApp = readFileSync(`test/integrations/${app}.ts`, 'utf8')
const valuesOfApp = [...textOfApp.matchAll(/^export (?:declare )?(?:const|function) (\w+)/gm)].map(
  ([, name = '']) => name,
)

/** The module that exports a name that an example uses. */
const sources = new Map([
  ...valuesOfApp.map((name) => [name, `${app}.js`] as const),
  ...[...entries]
    .reverse()
    .flatMap(([entry, names]) => names.map((name) => [name, entry] as const)),
])

const fileOf = ({ place }: CommentExample): string => `${place.replace(/[/:]/g, '-')}.ts`

/** The modules of the examples, with an import of every name that an example does not declare. */
function toModules(examples: readonly CommentExample[]): ReadonlyMap<string, string> {
  const modules = new Map(examples.map((one) => [fileOf(one), fromHere(one.text)]))
  const unknown = compileErrors(modules).flatMap((error) => {
    const [, file = '', name = ''] =
      /([^/]+):\d+ (?:Cannot find name|No value exists in scope for the shorthand property) '(\w+)'/.exec(
        error,
      ) ?? []
    const source = sources.get(name)
    return source === undefined ? [] : [{ file, line: `import { ${name} } from '${source}'` }]
  })
  return new Map(
    [...modules].map(([file, text]) => {
      const imports = new Set(unknown.filter((one) => one.file === file).map(({ line }) => line))
      // All imports are on the first line, so that the lines of errors are those of the example.
      return [file, [...imports, text].join('; ')]
    }),
  )
}

describe('examples in comments', () => {
  // Readers of the documentation do not see the examples of functions that no entry point exports.
  const examples = listCommentExamples().filter(({ of }) => of === undefined || exported.has(of))
  const modules = new Map([...toModules(examples), [`${app}.ts`, textOfApp]])

  it('compile', () => {
    process.stdout.write(`   Examples in comments: ${examples.length} compiled\n`)
    expect(examples.length).toBeGreaterThan(80)
    expect(compileErrors(modules)).toEqual([])
  })

  it('compile without DOM types', () => {
    expect(compileErrors(modules, withoutDom)).toEqual([])
  })
})
