/**
 * Bundles every subpath into one ES module for Node, with esbuild, and runs it. Nothing is printed
 * to stderr.
 */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'esbuild'
import { subpathNames } from './subpath-names.mjs'

const specifiers = subpathNames.map((name) =>
  name === 'index' ? 'cofferkit' : `cofferkit/${name}`,
)
const outfile = join(import.meta.dirname, 'bundled.mjs')
const lines = specifiers.map((specifier, index) => `import * as n${index} from '${specifier}'`)
const names = specifiers.map((_, index) => `Object.keys(n${index})`)
await build({
  stdin: {
    contents: `${lines.join('\n')}\nconsole.log(JSON.stringify([${names}]))`,
    resolveDir: import.meta.dirname,
  },
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
})
const { status, stdout, stderr } = spawnSync(process.execPath, ['--trace-warnings', outfile], {
  encoding: 'utf8',
})
assert.deepEqual([status, stderr], [0, ''])
const modules = await Promise.all(specifiers.map((specifier) => import(specifier)))
assert.deepEqual(
  JSON.parse(stdout),
  modules.map((module) => Object.keys(module)),
)
console.log(`${specifiers.length} subpaths run from a bundle for Node, on Node ${process.version}`)
