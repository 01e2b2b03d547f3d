/** The time in which a new process imports the core, beside importing its dependencies. */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { BenchOptions, PartResults } from './bench-options.js'
import { median, medianRatio } from './statistics.js'
import { fixed, verdict } from './table.js'

interface Contender {
  readonly name: string
  readonly modules: readonly string[]
  readonly times: number[]
}

const run = promisify(execFile)
const goal = 1.3

/** Measures every build. */
export async function benchImport({ builds, rounds = 25 }: BenchOptions): Promise<PartResults> {
  const baseline: Contender = {
    name: 'zod + fast-json-patch',
    modules: ['fast-json-patch', 'zod'],
    times: [],
  }
  const measured = builds.map(
    ({ name, url }): Contender => ({ name, modules: [`${url}/index.js`], times: [] }),
  )
  for (let round = -1; round < rounds; round++) {
    for (const { modules, times } of [baseline, ...measured]) {
      const time = await measureImport(modules)
      if (round >= 0) times.push(time)
    }
  }
  const rows = measured.map(({ name, times }) => {
    const ratio = medianRatio(times, baseline.times)
    return [name, fixed(median(times), 1), fixed(ratio), `<= ${goal}`, verdict(ratio, goal)]
  })
  const head = ['', 'median', 'ratio', 'goal', '']
  const first = [baseline.name, fixed(median(baseline.times), 1)]
  const title = 'Import, ms in a new process'
  return { tables: [{ id: 'import', title, rows: [head, first, ...rows] }] }
}

/** Milliseconds. Packages are those of the current folder. */
async function measureImport(modules: readonly string[]): Promise<number> {
  const script = `
    const before = performance.now()
    for (const module of ${JSON.stringify(modules)}) await import(module)
    console.log(performance.now() - before)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script])
  return Number(stdout)
}
