import { join, relative } from 'node:path'
import { build } from 'esbuild'
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

/** Returns what the code of an entry point has in it: packages, and sources of a vault's operations. */
async function contentOf(entry: string) {
  const { metafile } = await build({
    entryPoints: [`src/${entry}.ts`],
    ...{ bundle: true, format: 'esm', platform: 'node', packages: 'external' },
    ...{ write: false, outdir: 'reports', metafile: true },
  })
  const { inputs = {}, imports = [] } = Object.values(metafile.outputs)[0] ?? {}
  return {
    packages: imports.map(({ path }) => path).filter((path) => !path.startsWith('node:')),
    operations: Object.keys(inputs).filter(
      (path) =>
        /^src\/core\/(?:files|items|operation|patch|records|vaults|versions)\//.test(path) &&
        inputs[path]?.bytesInOutput !== 0,
    ),
  }
}

describe('what works without a vault', () => {
  it.each([
    ['seal', ['@noble/ciphers/chacha.js']],
    ['use', []],
    ['oauth', []],
  ])('has no operation, no zod and no otpauth in its code: %s', async (entry, packages) => {
    expect(await contentOf(entry)).toEqual({ packages, operations: [] })
  })

  it('differs from the code of a vault (negative control)', async () => {
    expect((await contentOf('dialects/connect')).packages).toContain('otpauth')
    const { packages, operations } = await contentOf('index')
    expect(packages).toContain('zod/mini')
    expect(operations).toContain('src/core/items/create-item.ts')
  })
})
