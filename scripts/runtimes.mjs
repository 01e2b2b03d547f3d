/** Runs the checks of test/runtimes on the packed package in every runtime, and the examples that need one. */

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { startChromium } from './runtimes/chromium.mjs'
import { processRuntimes, servers, sqliteStores } from './runtimes/processes.mjs'
import { recipes } from './runtimes/recipes.mjs'
import { objectStore, workerdRuntime } from './runtimes/workerd.mjs'
import { inConsumer, root } from './tarball.mjs'

/** A platform that no runtime may be taken for: where it is not noticed, the checks are worth nothing. */
const twin = 'randomness that is a constant'
const notice = /^draws ids and tokens/

/** What is run here of the examples. */
const examples = [
  'bun-serve.ts',
  'deno-serve.ts',
  'durable-object-store.ts',
  'worker.capnp',
  'worker.ts',
]

// What the programs print is read, whoever runs this may see colours.
delete process.env.FORCE_COLOR

const failed = await inConsumer(async (consumer) => {
  for (const path of ['test/runtimes', ...examples.map((name) => `examples/${name}`)])
    cpSync(join(root, path), join(consumer, path), { recursive: true })
  const chromium = await startChromium()
  printRow('runtime', 'version', 'checks', 'ms')
  try {
    const runtimes = [...processRuntimes, workerdRuntime, ...chromium.runtimes]
    const stores = [...sqliteStores, objectStore]
    const waiting = [...runtimes, ...runtimes.map(broken), ...servers, ...stores, ...recipes]
    return (await Promise.all([runAll(waiting, consumer), runAll(waiting, consumer)])).flat()
  } finally {
    await chromium.stop()
  }
})
console.log(failed.length === 0 ? 'all good' : `failed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Runs one after the other until none is waiting, and resolves with the names of those that failed. */
async function runAll(waiting, consumer) {
  const failed = []
  for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
    if (!(await isGood(one, consumer))) failed.push(`${one.name} (${one.version})`)
  return failed
}

/** Runs it, and prints a line, with what it is known not to do under it. */
async function isGood({ name, version, report }, consumer) {
  const start = performance.now()
  const answer = await report(consumer).catch(({ message }) => ({ failed: message }))
  const { checks = [], failures = [], failed } = answer
  const took = Math.round(performance.now() - start)
  printRow(name, version, failed === undefined ? checks.length : 'FAILED', took)
  for (const failure of failures) console.log(`  not: ${failure}`)
  if (failed !== undefined) console.log(`  ${failed}`)
  return failed === undefined
}

function printRow(name, version, checks, took) {
  const numbers = String(checks).padStart(7) + String(took).padStart(8)
  console.log(name.padEnd(34) + version.padEnd(16) + numbers)
}

/** The same runtime with a broken platform, which is good if that is noticed. */
function broken({ name, version, report }) {
  return {
    name: `${name}, broken`,
    version,
    async report(consumer) {
      const { failed = 'nothing was noticed' } = await report(consumer, twin)
      return notice.test(failed) ? { checks: [twin] } : { failed }
    },
  }
}
