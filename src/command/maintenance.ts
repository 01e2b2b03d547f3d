/** The commands `migrate`, `rotate`, `reencrypt`, `gc` and `doctor`: their flags and their help. */

import { buildCommand } from '@stricli/core'
import { CommandError } from './command-error.js'
import type { CommandLine } from './command-line.js'
import { type StoreFlags, storeFlags } from './store/store-flags.js'

const json = {
  kind: 'boolean',
  default: false,
  withNegated: false,
  brief: 'Print JSON',
} as const

/** Creates or prints the tables of a store. */
export const migrateCommand = buildCommand<
  Pick<StoreFlags, 'store'> & { readonly print: boolean },
  [],
  CommandLine
>({
  loader: async () => (await import('./maintenance/run-migrate.js')).migrate,
  parameters: {
    flags: {
      store: storeFlags.store,
      print: {
        kind: 'boolean',
        default: false,
        withNegated: false,
        brief: 'Print the SQL statements and change nothing',
      },
    },
  },
  docs: {
    brief: 'Create or update the tables of a store, or print the SQL for it',
    fullDescription:
      'Creates the tables of a store in SQLite, PostgreSQL or MySQL, or updates them to this version.',
  },
})

/** Rotates keys. */
export const rotateCommand = buildCommand<
  StoreFlags & { readonly newKey?: string },
  [],
  CommandLine
>({
  loader: async () => (await import('./maintenance/run-rotate.js')).rotate,
  parameters: {
    flags: {
      ...storeFlags,
      newKey: {
        kind: 'parsed',
        parse: String,
        optional: true,
        placeholder: 'KEYFILE',
        brief: 'Replace the key of --encrypt by the key of this file',
      },
    },
  },
  docs: {
    customUsage: ['--encrypt vault.key', '--encrypt old.key --new-key new.key'],
    brief: 'Give every vault a new data key, or replace the key file',
    fullDescription: [
      'Without --new-key, every vault gets a new data key: what is written from now on is',
      'encrypted with it, and reencrypt encrypts the rest with it.',
      '',
      'With --new-key, every data key is wrapped with the key of another file. The old file is',
      'not needed afterwards. Stop other processes first: they know only the old key. If this is',
      'interrupted, run it again with the same two files.',
    ].join('\n'),
  },
})

/** Encrypts records again. */
export const reencryptCommand = buildCommand<
  StoreFlags & { readonly fromPlaintext: boolean },
  [],
  CommandLine
>({
  loader: async () => (await import('./maintenance/run-reencrypt.js')).reencrypt,
  parameters: {
    flags: {
      ...storeFlags,
      fromPlaintext: {
        kind: 'boolean',
        default: false,
        withNegated: false,
        brief: 'Also encrypt what was stored without --encrypt',
      },
    },
  },
  docs: {
    brief: 'Encrypt every record again that is not under the current data key',
    fullDescription: [
      'Encrypts every record that is not under the current data key of its vault. It can be',
      'stopped and started again, and the store can be in use. --from-plaintext turns encryption',
      'on for a store that was written without it.',
    ].join('\n'),
  },
})

/** Collects garbage. */
export const gcCommand = buildCommand<StoreFlags & { readonly minAge: number }, [], CommandLine>({
  loader: async () => (await import('./maintenance/run-gc.js')).gc,
  parameters: {
    flags: {
      ...storeFlags,
      minAge: {
        kind: 'parsed',
        parse: parseSeconds,
        default: '3600',
        placeholder: 'SECONDS',
        brief: 'Keep data that is younger, 60 or more',
      },
    },
  },
  docs: {
    brief: 'Delete what crashes have left behind',
    fullDescription: [
      'Deletes contents of files that no item refers to, and versions of deleted items. Younger',
      'data can belong to an upload that is running.',
    ].join('\n'),
  },
})

/** Checks a store and its surroundings. */
export const doctorCommand = buildCommand<StoreFlags & { readonly json: boolean }, [], CommandLine>(
  {
    loader: async () => (await import('./maintenance/run-doctor.js')).doctor,
    parameters: { flags: { ...storeFlags, json } },
    docs: {
      brief: 'Check the store, its durability, the clock, the key and the versions',
      fullDescription: [
        'Checks Node, the store, what it survives, the clock and the key, and says what to do about',
        'each problem. Nothing is changed. The exit code is 2 if a check fails.',
      ].join('\n'),
    },
  },
)

function parseSeconds(text: string): number {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (seconds < 60) throw new CommandError('--min-age: must be 60 or more')
  return seconds
}
