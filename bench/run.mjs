/** Runs the bench, or the parts of it that are named: see README.md beside this file. */

import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const parts = {
  'in-process': async (options) => (await import('./in-process.mjs')).benchInProcess(options),
  http: async (options) => (await import('./http.mjs')).benchHttp(options),
  import: async (options) => (await import('./import.mjs')).benchImport(options),
  bundle: async (options) => (await import('./bundle.mjs')).benchBundle(options),
  sqlite: async (options) => (await import('./sqlite.mjs')).benchSqlite(options),
  postgres: async (options) => (await import('./postgres.mjs')).benchPostgres(options),
  scale: async (options) => (await import('./scale.mjs')).benchScale(options),
  encryption: async (options) => (await import('./encryption.mjs')).benchEncryption(options),
  filter: async (options) => (await import('./filter.mjs')).benchFilter(options),
}
const operationNames = ['create', 'replace', 'patch', 'file']

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
const unknown = positionals.filter((name) => !(name in parts) && !operationNames.includes(name))
if (unknown.length > 0) throw new Error(`no such part or operation: ${unknown.join(', ')}`)

const named = (names) => {
  const chosen = names.filter((name) => positionals.includes(name))
  return chosen.length > 0 ? chosen : names
}
const folderUrl = (folder) => pathToFileURL(folder).href
const options = {
  operations: named(operationNames),
  builds: [
    {
      name: 'cofferkit',
      url: folderUrl(values.dist ?? fileURLToPath(new URL('../dist', import.meta.url))),
    },
    ...values.with.map((text) => {
      const [name, folder] = text.split('=')
      return { name, url: folderUrl(folder) }
    }),
  ],
  servers: values.servers?.split(','),
  profile: values.profile,
  ...(values.rounds && { rounds: Number(values.rounds) }),
  ...(values.items && { items: Number(values.items) }),
}

for (const part of named(Object.keys(parts))) await parts[part](options)
