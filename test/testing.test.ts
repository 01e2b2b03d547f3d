import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { blobStoreContract, httpContract, recordStoreContract } from '../src/testing.js'

/** Returns the files and the packages that a file imports, directly or indirectly. */
function importsOf(file: URL, visited = new Set<string>()): Set<string> {
  if (visited.has(file.href)) return visited
  visited.add(file.href)
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true)
  for (const { fileName } of importedFiles)
    if (fileName.startsWith('.'))
      importsOf(new URL(fileName.replace(/\.js$/, '.ts'), file), visited)
    else visited.add(fileName)
  return visited
}

const names = [recordStoreContract, blobStoreContract, httpContract].flatMap((contract) =>
  contract.map(({ name }) => name),
)

describe('cofferkit/testing', () => {
  it.each(['testing.ts', 'testing/hostile.ts'])('imports no test runner in %s', (path) => {
    const imported = importsOf(new URL(`../src/${path}`, import.meta.url))
    const packages = [...imported].filter((name) => !/^(?:node|file):/.test(name))
    expect(new Set(packages.map((name) => name.replace(/\/.*/, '')))).toEqual(
      new Set(['zod', 'fast-json-patch']),
    )
  })

  it('does not load the hostile requests', () => {
    const files = [...importsOf(new URL('../src/testing.ts', import.meta.url))]
    expect(files.filter((file) => file.includes('/testing/hostile'))).toEqual([])
    expect(files.filter((file) => file.includes('/testing/http/'))).not.toEqual([])
  })

  it('has unique names of cases, also where one describe contains several contracts', () => {
    expect(new Set(names).size).toBe(names.length)
  })

  it('has names of at most 100 characters, without any that a runner replaces or escapes', () => {
    expect(names.filter((name) => !/^[a-z][\w ,;:'()./-]{5,99}$/i.test(name))).toEqual([])
  })
})
