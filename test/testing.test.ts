import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

/** Every package that a file imports, directly or indirectly. */
function packagesFrom(file: URL, seen = new Set<string>()): string[] {
  if (seen.has(file.href)) return []
  seen.add(file.href)
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true)
  return importedFiles.flatMap(({ fileName }) =>
    fileName.startsWith('.')
      ? packagesFrom(new URL(fileName.replace(/\.js$/, '.ts'), file), seen)
      : [fileName],
  )
}

describe('cofferkit/testing', () => {
  it('imports no test runner', () => {
    const packages = packagesFrom(new URL('../src/testing.ts', import.meta.url))
    expect(new Set(packages.map((name) => name.replace(/\/.*/, '')))).toEqual(
      new Set(['zod', 'fast-json-patch', 'node:net']),
    )
  })

  it('has unique names for the cases of each contract', async () => {
    const { blobStoreContract, httpContract, recordStoreContract } = await import(
      '../src/testing.js'
    )
    for (const contract of [blobStoreContract, httpContract, recordStoreContract]) {
      const names = contract.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
    }
  })
})
