/** The size of the built package in a bundle. */

import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { BenchOptions, PartResults } from './bench-options.js'
import { fixed, verdict } from './table.js'

const core = `export { createVaultService } from './index.js'`
const mount = `
  export { bearerAuth, createHttpHandler } from './http.js'
  export { createNodeListener } from './node.js'`
const dependencies = ['zod', 'fast-json-patch']

/** Measures every build. */
export async function benchBundle({ builds }: BenchOptions): Promise<PartResults> {
  const rows = [['', 'size', 'goal', '']]
  for (const { name, url } of builds) {
    const folder = fileURLToPath(url)
    const own = await bundleSize(core, folder, dependencies)
    const both = await bundleSize(core + mount, folder, dependencies)
    const figures = [
      { part: 'core, own code', size: own, goal: 14 },
      {
        part: 'core with zod and fast-json-patch',
        size: await bundleSize(core, folder, []),
        goal: 34,
      },
      { part: 'http + node, alone', size: await bundleSize(mount, folder, dependencies), goal: 6 },
      { part: 'http + node, beside the core', size: both - own, goal: 6 },
    ]
    for (const { part, size, goal } of figures)
      rows.push([`${name}: ${part}`, fixed(size), `<= ${goal}`, verdict(size, goal)])
  }
  return { tables: [{ id: 'bundle', title: 'Bundle, kB gzipped', rows }] }
}

/** Thousands of bytes, minified and gzipped. */
async function bundleSize(
  contents: string,
  resolveDir: string,
  external: readonly string[],
): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    external: ['node:*', ...external],
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error('the bundle is empty')
  return gzipSync(file.contents, { level: 9 }).length / 1000
}
