/** Runs the bench, or the given parts of it. README.md describes the parts and the options. */

import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { Build } from './load-build.js'
import { printTable, type Table, writeTables } from './table.js'

/** Options of every part, from the command line. */
export interface BenchOptions {
  /** The builds that are measured: the first is compared with the others. */
  readonly builds: readonly [Build, ...Build[]]
  /** Number of generations of processes; each part has its own default. */
  readonly generations: number | undefined
  /** Number of rounds in each generation; each part has its own default. */
  readonly rounds: number | undefined
  /** The largest number of items in `growth`. */
  readonly items: number | undefined
}

type Part = (options: BenchOptions) => Promise<readonly Table[]>

const parts: Readonly<Record<string, Part>> = {
  http: async (options) => (await import('./http.js')).benchHttp(options),
  'in-process': async (options) => (await import('./in-process.js')).benchInProcess(options),
  databases: async (options) => (await import('./databases.js')).benchDatabases(options),
  seal: async (options) => (await import('./seal.js')).benchSeal(options),
  imports: async (options) => (await import('./imports.js')).benchImports(options),
  relay: async (options) => (await import('./relay.js')).benchRelay(options),
  growth: async (options) => (await import('./growth.js')).benchGrowth(options),
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: 'string', multiple: true },
    generations: { type: 'string' },
    rounds: { type: 'string' },
    items: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const unknown = positionals.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0) throw new Error(`no such part: ${unknown.join(', ')}`)
const [dist = fileURLToPath(new URL('../../dist', import.meta.url)), ...others] = values.dist ?? []
if (values.write && others.length > 0) throw new Error('the page is about one build')

const options: BenchOptions = {
  builds: [
    { name: 'cofferkit', url: pathToFileURL(resolve(dist)).href },
    ...others.map((folder) => ({ name: nameOf(folder), url: pathToFileURL(resolve(folder)).href })),
  ],
  generations: toNumber(values.generations),
  rounds: toNumber(values.rounds),
  items: toNumber(values.items),
}
for (const [name, part] of Object.entries(parts)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const start = performance.now()
  const tables = await part(options)
  for (const table of tables) printTable(table)
  if (values.write) await writeTables(tables)
  console.error(`\n${name}: ${Math.round((performance.now() - start) / 1000)} s`)
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}

/** The name of the project that a build is in. */
function nameOf(folder: string): string {
  return basename(dirname(resolve(folder)))
}
