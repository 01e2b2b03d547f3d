/** Loads each subpath of the installed package alone, and all in several orders. Nothing is printed. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { subpathNames } from './check-subpaths.cjs'

const specifiers = subpathNames.map((name) =>
  name === 'index' ? 'cofferkit' : `cofferkit/${name}`,
)

/** The same order in every run. */
const shuffled = (seed) => {
  const keyOf = (specifier) => createHash('sha256').update(`${seed} ${specifier}`).digest('hex')
  return specifiers.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

const orders = [
  ...specifiers.map((specifier) => [specifier]),
  specifiers,
  specifiers.toReversed(),
  ...[1, 2, 3].map(shuffled),
]
const programs = {
  'CommonJS modules': { type: 'commonjs', load: (specifier) => `require('${specifier}')` },
  'ES modules': { type: 'module', load: (specifier) => `await import('${specifier}')` },
}
for (const [name, { type, load }] of Object.entries(programs)) {
  for (const order of orders) {
    const flags = ['--trace-warnings', `--input-type=${type}`, '-e', order.map(load).join('\n')]
    const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' })
    assert.deepEqual([status, stdout, stderr], [0, '', ''], `${name}: ${order}`)
  }
  console.log(`${name} load alone and in any order, and print nothing, on Node ${process.version}`)
}
