/** Runs the checks of `test/runtimes` on the packed package in each runtime, and their examples. */

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run-command.js'
import { startChromium } from './runtimes/chromium.js'
import { processRuntimes, secretFetches, servers, sqliteStores } from './runtimes/processes.js'
import { recipes } from './runtimes/recipes.js'
import type { RuntimeCheck, RuntimeReport } from './runtimes/runtime-check.js'
import { objectStore, workerdRuntime, workerFetch } from './runtimes/workerd.js'
import { withConsumer } from './tarball.js'

/** The negative control: a platform that the checks must reject. */
const brokenPlatform = 'randomness that is a constant'
const expectedFailure = /^generates unique ids and tokens/

/** The examples that are run. */
const examples = [
  'bun-serve.ts',
  'deno-serve.ts',
  'durable-object-store.ts',
  'worker.capnp',
  'worker.ts',
]

// The output of the programs is parsed, so it must not contain colors.
delete process.env['FORCE_COLOR']

const failed = await withConsumer(async (consumer) => {
  for (const path of ['test/runtimes', ...examples.map((name) => `examples/${name}`)])
    cpSync(join(root, path), join(consumer, path), { recursive: true })
  const chromium = await startChromium()
  printRow('runtime', 'version', 'checks', 'ms')
  try {
    const runtimes = [...processRuntimes, workerdRuntime, ...chromium.runtimes]
    const stores = [...sqliteStores, objectStore]
    const queue = [
      ...runtimes,
      ...runtimes.map(onBrokenPlatform),
      ...servers,
      ...stores,
      ...secretFetches,
      workerFetch,
      ...recipes,
    ]
    return (await Promise.all([runQueue(queue, consumer), runQueue(queue, consumer)])).flat()
  } finally {
    await chromium.stop()
  }
})
console.log(failed.length === 0 ? 'all good' : `failed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Runs one check after the other until the queue is empty. Resolves with those that failed. */
async function runQueue(queue: RuntimeCheck[], consumer: string): Promise<string[]> {
  const failures: string[] = []
  for (let check = queue.shift(); check !== undefined; check = queue.shift())
    if (!(await passes(check, consumer))) failures.push(`${check.name} (${check.version})`)
  return failures
}

/** Runs a check and prints its line, with its known failures below it. */
async function passes({ name, version, report }: RuntimeCheck, consumer: string): Promise<boolean> {
  const start = performance.now()
  const result: RuntimeReport = await report(consumer).catch((error: unknown) => ({
    failed: String(error),
  }))
  const { checks = [], failures = [], failed: reason } = result
  const milliseconds = Math.round(performance.now() - start)
  printRow(name, version, reason === undefined ? checks.length : 'FAILED', milliseconds)
  for (const failure of failures) console.log(`  not: ${failure}`)
  if (reason !== undefined) console.log(`  ${reason}`)
  return reason === undefined
}

function printRow(name: string, version: string, checks: string | number, ms: string | number) {
  const numbers = String(checks).padStart(7) + String(ms).padStart(8)
  console.log(name.padEnd(34) + version.padEnd(16) + numbers)
}

/** The same runtime on a broken platform. It passes if the checks report that. */
function onBrokenPlatform({ name, version, report }: RuntimeCheck): RuntimeCheck {
  return {
    name: `${name}, broken`,
    version,
    async report(consumer) {
      const { failed: reason = 'nothing was reported' } = await report(consumer, brokenPlatform)
      return expectedFailure.test(reason) ? { checks: [brokenPlatform] } : { failed: reason }
    },
  }
}
