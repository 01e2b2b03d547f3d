/** Part 4: the size of what a bundler makes of the built package. */

import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { fixed, printTable, verdict } from './table.mjs'

const core = `export { createVaultService } from './index.js'`
const mount = `
  export { bearerAuth, createHttpHandler } from './http.js'
  export { createNodeListener } from './node.js'`
const dependencies = ['zod', 'fast-json-patch']

export async function benchBundle({ builds }) {
  for (const { name, url } of builds) {
    const folder = fileURLToPath(url)
    const own = await sizeOf(core, folder, dependencies)
    const rows = [
      ['core, own code', own, 10],
      ['core with zod and fast-json-patch', await sizeOf(core, folder, []), 38],
      ['http + node, alone', await sizeOf(mount, folder, dependencies), 6],
      ['http + node, beside the core', (await sizeOf(core + mount, folder, dependencies)) - own, 6],
    ].map(([what, size, goal]) => [what, fixed(size), `<= ${goal}`, verdict(size, goal)])
    printTable(`Bundle of ${name}, kB gzipped`, [['', 'size', 'goal', ''], ...rows])
  }
}

/** Thousands of bytes, minified and gzipped. */
async function sizeOf(contents, resolveDir, external) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    external: ['node:*', ...external],
  })
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000
}
