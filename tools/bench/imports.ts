/** The CPU that importing an entry point takes. `npm run check -- size` shows the sizes of bundles. */

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Build } from './load-build.js'
import { median } from './measure.js'
import type { BenchOptions } from './run.js'
import { fixed, type Table } from './table.js'

const names = ['seal', 'use', 'oauth', 'credentials', 'index']

/** How an entry point is loaded: the extension of its file, and a script that loads `path`. */
const formats = [
  { name: 'ES module', extension: 'js', type: 'module', load: 'await import(path)' },
  { name: 'CommonJS', extension: 'cjs', type: 'commonjs', load: 'require(path)' },
] as const

/** Measures every build in both formats, in a new process for each import. */
export async function benchImports({ builds, rounds = 15 }: BenchOptions): Promise<Table[]> {
  const columns = builds.flatMap((build) => formats.map((format) => ({ build, format })))
  const costs = names.map(() => columns.map((): number[] => []))
  for (let round = 0; round < rounds; round++)
    for (const [row, name] of names.entries())
      for (const [column, { build, format }] of columns.entries())
        costs[row]?.[column]?.push(measure(build, name, format))
  const head = columns.map(({ build, format }) =>
    builds.length === 1 ? format.name : `${build.name}, ${format.name}`,
  )
  const rows = names.map((name, row) => [
    name === 'index' ? 'cofferkit' : `cofferkit/${name}`,
    ...(costs[row] ?? []).map((cell) => fixed(median(cell), 1)),
  ])
  return [{ id: 'imports', title: 'CPU ms of an import', rows: [['', ...head], ...rows] }]
}

/** Returns the milliseconds of CPU of an import in a new process. */
function measure(
  build: Build,
  name: string,
  { extension, type, load }: (typeof formats)[number],
): number {
  const path = fileURLToPath(`${build.url}/${name}.${extension}`)
  const script = `const path = ${JSON.stringify(path)}
    const start = process.cpuUsage()
    ${load}
    const { user, system } = process.cpuUsage(start)
    process.stdout.write(String((user + system) / 1000))`
  const args = [`--input-type=${type}`, '--eval', script]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}
