/**
 * Loads each subpath of the installed package alone, and all in several orders, and the files of JSON.
 * Nothing is printed.
 */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { jsonNames, subpathNames } from './check-subpaths.cjs'

const specifiers = subpathNames.map((name) =>
  name === 'index' ? 'cofferkit' : `cofferkit/${name}`,
)

/** The same order in every run. */
const shuffled = (seed) => {
  const keyOf = (specifier) => createHash('sha256').update(`${seed} ${specifier}`).digest('hex')
  return specifiers.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

const documents = jsonNames.map((name) => `cofferkit/${name}`)
const orders = [
  ...specifiers.map((specifier) => [specifier]),
  specifiers,
  specifiers.toReversed(),
  ...[1, 2, 3].map(shuffled),
]
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
  for (const order of [...orders, documents]) {
    const lines = order.map(order === documents ? loadJson : load)
    const flags = ['--trace-warnings', `--input-type=${type}`, '-e', lines.join('\n')]
    const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' })
    assert.deepEqual([status, stdout, stderr], [0, '', ''], `${name}: ${order}`)
  }
  console.log(`${name} load alone and in any order, and print nothing, on Node ${process.version}`)
}
