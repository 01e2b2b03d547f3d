import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** The pages that state rules for whoever changes the code. */
const pages = [
  'CONTRIBUTING.md',
  ...readdirSync('docs/decisions').map((name) => `docs/decisions/${name}`),
]

const files = ['.ci', '.github', 'docs', 'examples', 'src', 'test', 'tools'].flatMap((folder) =>
  globSync(`${folder}/**`, { exclude: ['**/node_modules'] }),
)
const code = ['package.json', 'tsup.config.ts', ...files]
  .filter((path) => /^(?:src|tools|test\/support|package|tsup)\b.*\.(?:tsx?|mjs|json)$/.test(path))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n')
const words = new Set(code.match(/[\w$]+/g))
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}

/** Returns why a back-quoted text refers to nothing; undefined if it refers to something. */
function findProblem(text: string): string | undefined {
  const script = /^npm (?:run )?([\w:]+)/.exec(text)?.[1]
  if (script !== undefined && !/^(?:ci|run)$/.test(script))
    return script in scripts ? undefined : 'is no script of package.json'
  if (/^(?:npm|npx|--) /.test(text)) return undefined
  if (/^[\w.-]+\/[\w./-]*$|^[\w-]+\.(?:md|ts|json|mjs)$/.test(text))
    return isPath(text) || code.includes(text) ? undefined : 'is no file or folder'
  const missing = (text.match(/[A-Za-z_$][\w$]*/g) ?? []).filter((word) => !words.has(word))
  return missing.length === 0 ? undefined : `contains ${missing.join(', ')}, which is not in src`
}

/** Returns true for a path from the root, and for the end of one, such as `items/`. */
function isPath(path: string): boolean {
  const name = path.replace(/\/$/, '')
  return existsSync(name) || files.some((file) => `/${file}`.endsWith(`/${name}`))
}

describe('pages that state rules', () => {
  it.each(pages)('%s names only what exists', (page) => {
    const text = readFileSync(page, 'utf8').replace(/^```.*?^```/gms, '')
    const quoted = [...new Set([...text.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name ?? ''))]
    const problems = quoted.flatMap((name) => {
      const problem = findProblem(name)
      return problem === undefined ? [] : [`\`${name}\` ${problem}`]
    })
    expect(problems).toEqual([])
  })
})

describe('findProblem', () => {
  it.each([
    ['withRetriesOfOldTimes', 'contains withRetriesOfOldTimes, which is not in src'],
    ['src/core/patch-item.ts', 'is no file or folder'],
    ['npm run polish', 'is no script of package.json'],
  ])('finds %s', (text, problem) => {
    expect(findProblem(text)).toBe(problem)
  })

  it.each(['patchItem', 'src/store.ts', 'items/', 'npm test', 'npm run build -- --watch'])(
    'accepts %s',
    (text) => {
      expect(findProblem(text)).toBeUndefined()
    },
  )
})

/** Returns the files of src, without those for tests, once for each match of the pattern. */
function findInSources(pattern: RegExp): readonly string[] {
  return files
    .filter((path) => /^src\/(?!testing).*\.tsx?$/.test(path))
    .flatMap((path) => (readFileSync(path, 'utf8').match(pattern) ?? []).map(() => path))
}

describe('src', () => {
  it('emits the event of a change in one place', () => {
    expect(findInSources(/\bcall\.afterChange\(/g)).toEqual(['src/core/operation/call.ts'])
  })

  it('creates a web stream only for a content, and for the response of another server', () => {
    const places = ['src/base/blob-content.ts', 'src/use/clean-response.ts']
    expect(findInSources(/new ReadableStream/g).toSorted()).toEqual(places)
  })

  it('turns chunks into a web stream only where one is promised', () => {
    const places = ['src/adapters/fetch.ts', 'src/core/files/read-file-content.ts']
    expect(findInSources(/(?<!function )\btoStream\(/g).toSorted()).toEqual(places)
  })
})
