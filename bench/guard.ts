/**
 * Fails if an operation allocates more bytes or runs more blocks of code than the figures in
 * `guard.json` allow: more than a tenth above. Both are the same in each run, on a busy machine
 * too.
 *
 *     npm run guard [-- --update] [-- --dist folder]
 *
 * `--update` writes the figures of this build. It belongs in the change that causes them: smaller
 * ones so that they are not lost again, larger ones with a reason in the message of the commit.
 */

import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { operationNames } from './bench-options.js'
import {
  type CountedProcess,
  countBlocks,
  countBytes,
  startCountedContender,
  startCountedServer,
  warmUp,
} from './memory/count-operations.js'
import { steadyFlags } from './memory/counters.js'
import { compareCounts, type GuardFigures } from './memory/guard-figures.js'
import { printTable } from './table.js'

const { values } = parseArgs({
  options: { update: { type: 'boolean', default: false }, dist: { type: 'string' } },
})
const file = new URL('guard.json', import.meta.url)
const dist = values.dist ?? fileURLToPath(new URL('../dist', import.meta.url))
const build = { name: 'cofferkit', url: pathToFileURL(dist).href, cachedItems: 0 }

const measured: GuardFigures = {
  ...(await measure('in process', await startCountedContender(build, steadyFlags))),
  ...(await measure('http', await startCountedServer(build, steadyFlags))),
}
if (values.update) {
  const round = (_: string, value: unknown) =>
    typeof value === 'number' ? Math.round(value) : value
  await writeFile(file, `${JSON.stringify(measured, round, 2)}\n`)
}
const allowed: GuardFigures = JSON.parse(await readFile(file, 'utf8'))
const { rows, grown, shrunk } = compareCounts(measured, allowed)
printTable({ id: 'guard', title: 'One operation, beside bench/guard.json', rows })
if (shrunk.length > 0)
  console.log(`\nsmaller; npm run guard -- --update keeps it so: ${shrunk.join(', ')}`)
if (grown.length > 0) {
  console.log(`\nmore than a tenth above bench/guard.json: ${grown.join(', ')}`)
  process.exitCode = 1
}

async function measure(name: string, counted: CountedProcess): Promise<GuardFigures> {
  try {
    // Enough for everything that is done once.
    await warmUp(counted, operationNames, 5000)
    return {
      [`${name}, bytes`]: await countBytes(counted, operationNames),
      [`${name}, blocks`]: await countBlocks(counted, operationNames),
    }
  } finally {
    await counted.stop()
  }
}
