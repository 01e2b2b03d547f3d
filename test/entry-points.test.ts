import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openApiDocuments } from '../tools/openapi/documents.js'
import { entryPoints } from '../tools/scripts/entry-points.js'

const root = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const entries = entryPoints()

describe('entryPoints', () => {
  it('returns every subpath of exports with its source', () => {
    const subpaths = Object.keys(manifest.exports).filter((path) => !path.endsWith('.json'))
    expect(entries.map(({ specifier }) => specifier)).toEqual(
      subpaths.map((path) => path.replace('.', 'cofferkit')),
    )
    expect(entries[0]).toEqual({ name: 'index', specifier: 'cofferkit', source: 'src/index.ts' })
  })

  it.each(entries)('returns the source that the tests resolve $specifier to', async (entry) => {
    const source = await import(join(root, entry.source))
    expect(await import(entry.specifier)).toBe(source)
  })

  it('returns everything that examples, tests and programs import by name', () => {
    const files = globSync('{examples,test,tools}/**/*.ts', {
      cwd: root,
      exclude: ['**/node_modules'],
    })
    const imported = files.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/from '(cofferkit(?:\/[\w-]+)*)'/g)].map(
        ([, specifier]) => specifier,
      ),
    )
    const specifiers = entries.map(({ specifier }) => specifier)
    expect(imported.filter((specifier = '') => !specifiers.includes(specifier))).toEqual([])
    expect(imported).toContain('cofferkit/http')
  })
})

describe('test/package/subpaths.ts', () => {
  it('imports every entry point, so that their types are compiled', () => {
    const text = readFileSync(join(root, 'test/package/subpaths.ts'), 'utf8')
    const missing = entries.filter(({ specifier }) => !text.includes(`'${specifier}'`))
    expect(missing.map(({ specifier }) => specifier)).toEqual([])
  })
})

describe('package.json', () => {
  it.each(entries)('has the files of $specifier under each condition', ({ name, specifier }) => {
    expect(manifest.exports[specifier.replace('cofferkit', '.')]).toEqual({
      import: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
      require: { types: `./dist/${name}.d.cts`, default: `./dist/${name}.cjs` },
    })
  })

  it('has the OpenAPI documents and itself as its only files of JSON', () => {
    const found = Object.entries(manifest.exports).filter(([path]) => path.endsWith('.json'))
    const documents = Object.keys(openApiDocuments).map((name) => [`./${name}`, `./dist/${name}`])
    expect(found).toEqual([...documents, ['./package.json', './package.json']])
  })
})
