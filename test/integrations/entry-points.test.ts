import { join, relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { entryPoints } from '../../tools/scripts/entry-points.js'
import { projectOptions } from './support/source/compiler.js'

const root = join(import.meta.dirname, '../..')

describe('entryPoints', () => {
  it.each(entryPoints())('returns the source that TypeScript resolves $specifier to', (entry) => {
    const { resolvedModule } = ts.resolveModuleName(
      entry.specifier,
      join(root, 'examples/any.ts'),
      projectOptions(),
      ts.sys,
    )
    expect(relative(root, resolvedModule?.resolvedFileName ?? '')).toBe(entry.source)
  })
})
