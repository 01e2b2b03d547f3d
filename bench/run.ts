/** Runs the bench, or the given parts of it. README.md describes the parts and the options. */

import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type BenchOptions, type Build, operationNames, type PartResults } from './bench-options.js'
import { printTable } from './table.js'
import { writePages } from './write-pages.js'

type Part = (options: BenchOptions) => Promise<PartResults>

const parts: Readonly<Record<string, Part>> = {
  'in-process': async (options) => (await import('./in-process.js')).benchInProcess(options),
  http: async (options) => (await import('./http.js')).benchHttp(options),
  databases: async (options) => (await import('./databases.js')).benchDatabases(options),
  memory: async (options) => (await import('./memory.js')).benchMemory(options),
  growth: async (options) => (await import('./growth.js')).benchGrowth(options),
  import: async (options) => (await import('./import.js')).benchImport(options),
  bundle: async (options) => (await import('./bundle.js')).benchBundle(options),
  sqlite: async (options) => (await import('./sqlite.js')).benchSqlite(options),
  'sqlite-cpu': async (options) => (await import('./sqlite-cpu.js')).benchSqliteCpu(options),
  postgres: async (options) => (await import('./postgres.js')).benchPostgres(options),
  'postgres-cpu': async (options) => (await import('./postgres-cpu.js')).benchPostgresCpu(options),
  mysql: async (options) => (await import('./mysql.js')).benchMysql(options),
  libsql: async (options) => (await import('./libsql.js')).benchLibsql(options),
  s3: async (options) => (await import('./s3.js')).benchS3(options),
  etcd: async (options) => (await import('./etcd.js')).benchEtcd(options),
  encryption: async (options) => (await import('./encryption.js')).benchEncryption(options),
  filter: async (options) => (await import('./filter.js')).benchFilter(options),
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: 'string' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    generations: { type: 'string' },
    rounds: { type: 'string' },
    items: { type: 'string' },
    with: { type: 'string', multiple: true, default: [] },
    servers: { type: 'string' },
    profile: { type: 'string' },
  },
})
const known: readonly string[] = [...Object.keys(parts), ...operationNames]
const unknown = positionals.filter((name) => !known.includes(name))
if (unknown.length > 0) throw new Error(`no such part or operation: ${unknown.join(', ')}`)
const isPartial = values.quick || values.servers || select(operationNames) !== operationNames
if (values.write && isPartial) throw new Error('the pages contain all operations and servers')

const dist = values.dist ?? fileURLToPath(new URL('../dist', import.meta.url))
const options: BenchOptions = {
  operations: select(operationNames),
  builds: [createBuild('cofferkit', dist), ...values.with.map(parseBuild)],
  servers: values.servers?.split(','),
  profile: values.profile,
  generations: toNumber(values.generations),
  rounds: toNumber(values.rounds),
  items: toNumber(values.items),
  isQuick: values.quick,
}
const selected = select(Object.keys(parts))
for (const name of values.quick && selected.length > 2 ? ['in-process', 'http'] : selected) {
  const start = performance.now()
  const results = await parts[name]?.(options)
  if (results === undefined) continue
  for (const table of results.tables) printTable(table)
  console.error(`\n${name}: ${Math.round((performance.now() - start) / 1000)} s`)
  if (values.write) await writePages(results)
}

/** The names that are given on the command line, or all if none of them is. */
function select<Name extends string>(names: readonly Name[]): readonly Name[] {
  const selected = names.filter((name) => positionals.includes(name))
  return selected.length > 0 ? selected : names
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}

function parseBuild(text: string): Build {
  const [name = '', folder = ''] = text.split('=')
  return createBuild(name, folder)
}

function createBuild(name: string, folder: string): Build {
  return { name, url: pathToFileURL(folder).href }
}
