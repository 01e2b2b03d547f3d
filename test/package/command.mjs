/** Runs the installed command, and measures the time until its first answer. */

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const rounds = 9
const maxMs = 300

const { version } = createRequire(import.meta.url)('cofferkit/package.json')
const program = join(import.meta.dirname, 'node_modules/.bin/cofferkit')
const run = (...parameters) =>
  spawnSync(process.execPath, [program, ...parameters], { encoding: 'utf8' })

assert.equal(run('--version').stdout, `${version}\n`)
const typo = run('serve', '--encypt', 'key')
assert.equal(typo.status, 2)
assert.match(typo.stderr, /did you mean --encrypt\?/)
assert.match(run('--help').stdout, /COMMANDS\n {2}serve /)
assert.equal(JSON.parse(run('token', '--json').stdout).sha256.length, 64)

const hasSqlite = process.getBuiltinModule('node:sqlite') !== undefined
const nodes = []
const serves = []
for (let round = 0; round < rounds; round++) {
  nodes.push(measureNode())
  serves.push(await measureServe(20_000 + round))
}
const medianMs = Math.round(medianOf(serves) - medianOf(nodes))
// Other processes can delay some of them, and never make one faster.
const fastestMs = Math.round(Math.min(...serves) - Math.min(...nodes))
const store = hasSqlite ? 'SQLite' : 'memory'
console.log(
  `Node ${process.versions.node}, ${store}: the first answer comes ${medianMs} ms after Node's start, at best ${fastestMs} ms`,
)
assert.ok(fastestMs <= maxMs, `the first answer took ${fastestMs} ms`)

function medianOf(times) {
  return times.toSorted((left, right) => left - right)[Math.floor(times.length / 2)]
}

/** Milliseconds of a process of Node that does nothing. */
function measureNode() {
  const start = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - start
}

/** Milliseconds from the start of the process to its first answer. */
async function measureServe(portOffset) {
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-serve-'))
  const port = portOffset + (process.pid % 10_000)
  const flags = ['serve', '--port', String(port), ...(hasSqlite ? [] : ['--store', 'memory'])]
  const start = performance.now()
  const child = spawn(process.execPath, [program, ...flags], { cwd: folder, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  try {
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${port}/heartbeat`).catch(() => undefined)
      if (response?.status === 200) return performance.now() - start
      assert.equal(child.exitCode, null, 'the command has ended')
      await pause(2)
    }
  } finally {
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
    rmSync(folder, { recursive: true, force: true })
  }
}
