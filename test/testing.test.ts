import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

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

describe('cofferkit/testing', () => {
  it('imports no test runner', () => {
    const imported = importedPackages(new URL('../src/testing.ts', import.meta.url))
    const packages = imported.filter((name) => !name.startsWith('node:'))
    expect(new Set(packages.map((name) => name.replace(/\/.*/, '')))).toEqual(
      new Set(['zod', 'fast-json-patch']),
    )
  })

  it('has unique case names per contract', async () => {
    const { blobStoreContract, httpContract, recordStoreContract } = await import(
      '../src/testing.js'
    )
    for (const contract of [blobStoreContract, httpContract, recordStoreContract]) {
      const names = contract.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
    }
  })
})
