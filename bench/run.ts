/** Runs the bench, or the given parts of it. README.md describes the parts and the options. */

import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type BenchOptions, type Build, operationNames } from './bench-options.js'

type Part = (options: BenchOptions) => Promise<void>

const parts: Readonly<Record<string, Part>> = {
  'in-process': async (options) => (await import('./in-process.js')).benchInProcess(options),
  http: async (options) => (await import('./http.js')).benchHttp(options),
  import: async (options) => (await import('./import.js')).benchImport(options),
  bundle: async (options) => (await import('./bundle.js')).benchBundle(options),
  sqlite: async (options) => (await import('./sqlite.js')).benchSqlite(options),
  postgres: async (options) => (await import('./postgres.js')).benchPostgres(options),
  scale: async (options) => (await import('./scale.js')).benchScale(options),
  encryption: async (options) => (await import('./encryption.js')).benchEncryption(options),
  filter: async (options) => (await import('./filter.js')).benchFilter(options),
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: 'string' },
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

const dist = values.dist ?? fileURLToPath(new URL('../dist', import.meta.url))
const options: BenchOptions = {
  operations: select(operationNames),
  builds: [createBuild('cofferkit', dist), ...values.with.map(parseBuild)],
  servers: values.servers?.split(','),
  profile: values.profile,
  rounds: values.rounds === undefined ? undefined : Number(values.rounds),
  items: values.items === undefined ? undefined : Number(values.items),
}
for (const name of select(Object.keys(parts))) await parts[name]?.(options)

/** The names that are given on the command line, or all if none of them is. */
function select<Name extends string>(names: readonly Name[]): readonly Name[] {
  const selected = names.filter((name) => positionals.includes(name))
  return selected.length > 0 ? selected : names
}

function parseBuild(text: string): Build {
  const [name = '', folder = ''] = text.split('=')
  return createBuild(name, folder)
}

function createBuild(name: string, folder: string): Build {
  return { name, url: pathToFileURL(folder).href }
}
