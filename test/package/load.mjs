/**
 * Loads each subpath of the installed package alone, and all at once, as either module system, and the
 * files of JSON. Nothing is printed.
 */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { jsonNames, subpathNames } from './subpath-names.mjs'

const specifiers = subpathNames.map((name) =>
  name === 'index' ? 'cofferkit' : `cofferkit/${name}`,
)
const documents = jsonNames.map((name) => `cofferkit/${name}`)
const programs = {
  'CommonJS modules': {
    type: 'commonjs',
    load: (specifier) => `require('${specifier}')`,
    loadJson: (specifier) => `require('${specifier}')`,
  },
  'ES modules': {
    type: 'module',
    load: (specifier) => `await import('${specifier}')`,
    loadJson: (specifier) => `await import('${specifier}', { with: { type: 'json' } })`,
  },
}
for (const [name, { type, load, loadJson }] of Object.entries(programs)) {
  const all = specifiers.map(load)
  for (const lines of [...all.map((line) => [line]), all, documents.map(loadJson)]) {
    const flags = ['--trace-warnings', `--input-type=${type}`, '-e', lines.join('\n')]
    const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' })
    assert.deepEqual([status, stdout, stderr], [0, '', ''], `${name}: ${lines}`)
  }
  console.log(`${name} load alone and at once, and print nothing, on Node ${process.version}`)
}
