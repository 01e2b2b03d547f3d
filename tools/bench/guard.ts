/**
 * Fails if an operation over HTTP has become dearer: its CPU per request ÷ that of a bare server in
 * the same run is more than 25 % above the ratio in `guard.json`. What seems dearer is measured a
 * second time, and the medians of both measurements decide.
 *
 *     npm run guard [-- --update] [-- --dist folder] [-- --generations 15]
 *
 * `--update` writes the ratios of this build. If a change raises one, the message of its commit has
 * the reason.
 */

import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { startServer } from './http/start-server.js'
import { generationRatios, median, operationNames, type Sample, takeTurns } from './measure.js'
import { fixed, formatRange, printTable } from './table.js'

const allowance = 1.25
const file = new URL('guard.json', import.meta.url)

const { values } = parseArgs({
  options: {
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
    generations: { type: 'string', default: '3' },
    update: { type: 'boolean', default: false },
  },
})
const build = { name: 'cofferkit', url: pathToFileURL(resolve(values.dist)).href }
const committed: Record<string, number> = JSON.parse(await readFile(file, 'utf8'))
const samples: Sample[] = []
samples.push(...(await measure()))
// A busy machine seldom disturbs a second measurement in the same way.
if (!values.update && findDearer().length > 0) samples.push(...(await measure()))
printTable({
  id: 'guard',
  title: 'CPU per request ÷ a bare server',
  rows: [
    ['', 'ratio', 'of generations', 'committed', '÷ committed'],
    ...listRatios().map(({ operation, ratios, ratio, before }) => [
      operation,
      ...[fixed(ratio), formatRange(ratios), fixed(before), fixed(ratio / before)],
    ]),
  ],
})
if (values.update) {
  const ratios = listRatios().map(({ operation, ratio }) => [operation, Number(fixed(ratio))])
  await writeFile(file, `${JSON.stringify(Object.fromEntries(ratios), undefined, 2)}\n`)
} else {
  const dearer = findDearer()
  for (const { operation } of dearer)
    console.error(`${operation}: more than ${allowance} times the committed ratio`)
  if (dearer.length > 0) process.exitCode = 1
}

/** Resolves with samples whose generations follow those that were measured before. */
async function measure(): Promise<readonly Sample[]> {
  const taken = await takeTurns({
    title: 'guard',
    start: () => Promise.all([build, 'bare'].map((server) => startServer({ server }))),
    generations: Number(values.generations),
    rounds: 6,
    count: 300,
    warmUpRounds: 16,
  })
  const last = samples.at(-1)?.generation ?? 0
  return taken.map((sample) => ({ ...sample, generation: last + sample.generation }))
}

function listRatios() {
  return operationNames.map((operation) => {
    const ratios = generationRatios(samples, [build.name, 'bare'], operation, 'cpu')
    return { operation, ratios, ratio: median(ratios), before: committed[operation] ?? Number.NaN }
  })
}

function findDearer() {
  return listRatios().filter(({ ratio, before }) => !(ratio <= before * allowance))
}
