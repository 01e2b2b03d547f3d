/** The CPU that importing an entry point takes. `npm run check -- size` shows the sizes of bundles. */

import { execFileSync } from 'node:child_process'
import { median } from './measure.js'
import type { BenchOptions } from './run.js'
import { fixed, type Table } from './table.js'

const names = ['seal', 'use', 'oauth', 'credentials', 'index']

/** Measures the first build, in a new process for each import. */
export async function benchImports({ builds, rounds = 15 }: BenchOptions): Promise<Table[]> {
  const costs = names.map((): number[] => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, name] of names.entries())
      costs[index]?.push(measure(`${builds[0].url}/${name}.js`))
  const rows = names.map((name, index) => [
    name === 'index' ? 'cofferkit' : `cofferkit/${name}`,
    fixed(median(costs[index] ?? []), 1),
  ])
  return [{ id: 'imports', title: 'CPU ms of an import', rows: [['', 'ms'], ...rows] }]
}

/** Returns the milliseconds of CPU of an import in a new process. */
function measure(url: string): number {
  const script = `const start = process.cpuUsage()
    await import(${JSON.stringify(url)})
    const { user, system } = process.cpuUsage(start)
    process.stdout.write(String((user + system) / 1000))`
  const args = ['--input-type=module', '--eval', script]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}
