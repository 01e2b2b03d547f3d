import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { blobStoreContract, httpContract, recordStoreContract } from '../src/testing.js'

/** Returns every package that a file imports, directly or indirectly. */
function importedPackages(file: URL, visited = new Set<string>()): string[] {
  if (visited.has(file.href)) return []
  visited.add(file.href)
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true)
  return importedFiles.flatMap(({ fileName }) =>
    fileName.startsWith('.')
      ? importedPackages(new URL(fileName.replace(/\.js$/, '.ts'), file), visited)
      : [fileName],
  )
}

const names = [recordStoreContract, blobStoreContract, httpContract].flatMap((contract) =>
  contract.map(({ name }) => name),
)

describe('cofferkit/testing', () => {
  it('imports no test runner', () => {
    const imported = importedPackages(new URL('../src/testing.ts', import.meta.url))
    const packages = imported.filter((name) => !name.startsWith('node:'))
    expect(new Set(packages.map((name) => name.replace(/\/.*/, '')))).toEqual(
      new Set(['zod', 'fast-json-patch']),
    )
  })

  it('has unique names of cases, also where one describe contains several contracts', () => {
    expect(new Set(names).size).toBe(names.length)
  })

  it('has names of at most 100 characters, without any that a runner replaces or escapes', () => {
    expect(names.filter((name) => !/^[a-z][\w ,;:'()./-]{5,99}$/i.test(name))).toEqual([])
  })
})
