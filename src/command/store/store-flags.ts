/** The flags that name a store and its keys, and their defaults. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../command-error.js'
import type { CommandLine } from '../command-line.js'
import { textFlag } from '../flags.js'
import { readSecret } from '../read-secret.js'
import { defaultStore, parseSchema, parseStore, type StoreLocation } from './parse-store.js'

/** The values of {@link storeFlags}. */
export interface StoreFlags {
  readonly store?: StoreLocation
  readonly schema?: string
  readonly encrypt?: readonly string[]
  readonly config?: string
}

/** The flags of every command that opens a store. */
export const storeFlags = {
  store: {
    kind: 'parsed',
    parse: parseStore,
    optional: true,
    brief: 'The store; default: $COFFERKIT_STORE, cofferkit.config.mjs or sqlite:cofferkit.db',
    placeholder: 'STORE',
  },
  schema: {
    kind: 'parsed',
    parse: parseSchema,
    optional: true,
    brief: 'The schema of the tables in PostgreSQL',
    placeholder: 'NAME',
  },
  encrypt: {
    kind: 'parsed',
    parse: String,
    optional: true,
    variadic: true,
    brief: 'Encrypt with the key in this file; can be repeated; default: $COFFERKIT_KEY_FILE',
    placeholder: 'KEYFILE',
  },
  config: textFlag(
    'FILE',
    'The file that exports the store; default: cofferkit.config.mjs if it exists',
  ),
} as const

/** The names of the configuration in the current folder. */
const configNames = ['mjs', 'js', 'ts'].map((extension) => `cofferkit.config.${extension}`)

/**
 * Returns the location of the store: from the flags, otherwise from the environment, otherwise the
 * configuration in the current folder, otherwise the default.
 * @throws CommandError if two flags cannot be combined, or if there are two configurations.
 */
export function locateStore(line: CommandLine, flags: StoreFlags): StoreLocation {
  const location = locateWithoutSchema(line, flags)
  if (location.kind === 'config' && flags.encrypt !== undefined)
    throw new CommandError(
      `--encrypt cannot be used with ${location.path}, which exports the store with its keys`,
      'Leave it out, or name another store with --store.',
    )
  if (flags.schema === undefined) return location
  if (location.kind !== 'postgres') throw new CommandError('--schema is only for PostgreSQL')
  return { ...location, schema: flags.schema }
}

function locateWithoutSchema(line: CommandLine, flags: StoreFlags): StoreLocation {
  const { store, config } = flags
  if (store !== undefined && config !== undefined)
    throw new CommandError('--store and --config exclude each other')
  if (store !== undefined) return store
  if (config !== undefined) return { kind: 'config', path: config }
  const named = readSecret(line, 'COFFERKIT_STORE')
  if (named !== undefined) return parseStore(named)
  const path = findConfig(line.process.cwd())
  return path === undefined ? parseStore(defaultStore) : { kind: 'config', path }
}

/**
 * Returns the name of the configuration in a folder, or undefined if it has none.
 * @throws CommandError if it has several, because the user's service may import any of them.
 */
export function findConfig(folder: string): string | undefined {
  const [path, other] = configNames.filter((name) => existsSync(join(folder, name)))
  if (other !== undefined)
    throw new CommandError(`both ${path} and ${other} exist`, 'Delete one, or pass --config.')
  return path
}

/**
 * Returns the key files of the flag, or the one that the environment names. Returns an empty list
 * for a configuration, because it exports the store with its keys.
 */
export function findKeyFiles(
  { process }: CommandLine,
  { encrypt }: StoreFlags,
  { kind }: StoreLocation,
): readonly string[] {
  if (kind === 'config') return []
  const { COFFERKIT_KEY_FILE: ofEnvironment = '' } = process.env
  return encrypt ?? (ofEnvironment === '' ? [] : [ofEnvironment])
}
