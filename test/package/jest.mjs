/**
 * Runs the tests of the folder `jest` in the default configuration of Jest. It must print nothing
 * but its report.
 */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const jest = join(import.meta.dirname, 'node_modules/jest/bin/jest.js')
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  ['--trace-warnings', jest, '--ci', '--verbose'],
  {
    cwd: join(import.meta.dirname, 'jest'),
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '0' },
  },
)

// Jest prints its report to stderr.
const report =
  /^(?:|PASS .*| +✓ .*| {2}createJwtAuthenticator with a JWKS|(?:Test Suites|Tests|Snapshots|Time): .*|Ran all test suites\.)$/
const others = stderr.split('\n').filter((line) => !report.test(line))
assert.deepEqual([status, stdout, others.join('\n')], [0, '', ''])
const [, passed] = /^Tests: +(\d+) passed, \1 total$/m.exec(stderr)
console.log(`${passed} tests pass in Jest's default configuration on Node ${process.version}`)
