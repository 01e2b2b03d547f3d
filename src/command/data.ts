/** The commands `seed`, `export` and `import`: their flags and their help. */

import { buildCommand } from '@stricli/core'
import type { ImportFormat } from '../import.js'
import type { CommandLine } from './command-line.js'
import type { ExportFlags } from './data/run-export.js'
import type { ImportFlags } from './data/run-import.js'
import { type StoreFlags, storeFlags } from './store/store-flags.js'

const passphraseFile = {
  kind: 'parsed',
  parse: String,
  optional: true,
  placeholder: 'FILE',
} as const

/** Listed here, so that the readers are loaded only by `import`. */
const formats = [
  'auto',
  '1pux',
  'bitwarden',
  'chrome',
  'firefox',
  'lastpass',
  'cxf',
] satisfies readonly (ImportFormat | 'auto')[]

/** Creates the vaults of a seed file. */
export const seedCommand = buildCommand<StoreFlags, [file: string], CommandLine>({
  loader: async () => (await import('./data/run-seed.js')).seed,
  parameters: {
    flags: storeFlags,
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'The JSON file of the seed', placeholder: 'FILE', parse: String }],
    },
  },
  docs: {
    brief: 'Create the vaults and items of a JSON file',
    fullDescription: [
      'Creates vaults, items and files, in addition to those that the store has:',
      '',
      '  { "vaults": [{ "name": "Team", "items": [{ "category": "LOGIN", "title": "Database",',
      '    "fields": [{ "id": "password", "purpose": "PASSWORD", "value": "..." }],',
      '    "files": [{ "name": "ca.pem", "content": "..." }] }] }] }',
    ].join('\n'),
  },
})

/** Exports a store. */
export const exportCommand = buildCommand<ExportFlags, [file?: string], CommandLine>({
  loader: async () => (await import('./data/run-export.js')).exportStore,
  parameters: {
    flags: {
      ...storeFlags,
      passphraseFile: { ...passphraseFile, brief: 'Encrypt with the passphrase in this file' },
      recipient: {
        kind: 'parsed',
        parse: String,
        optional: true,
        placeholder: 'AGE1...',
        brief: 'Encrypt for this public key of age',
      },
    },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'The file to create; the standard output if absent',
          placeholder: 'FILE',
          parse: String,
          optional: true,
        },
      ],
    },
  },
  docs: {
    brief: 'Write every vault, item and file as JSON lines, encrypted on request',
    fullDescription: [
      'Writes vaults, items with their values, and files, one JSON object per line. Without',
      '--passphrase-file or --recipient the values are readable. The file gets mode 0600 and is',
      'never overwritten. age (https://age-encryption.org) can decrypt it, too.',
    ].join('\n'),
  },
})

/** Imports an export. */
export const importCommand = buildCommand<ImportFlags, [file: string], CommandLine>({
  loader: async () => (await import('./data/run-import.js')).importFile,
  parameters: {
    flags: {
      ...storeFlags,
      passphraseFile: { ...passphraseFile, brief: 'Decrypt with the passphrase in this file' },
      from: {
        kind: 'enum',
        values: formats,
        optional: true,
        brief: 'Read the export of a password manager in this format',
      },
      vault: {
        kind: 'parsed',
        parse: String,
        default: 'Imported',
        brief: 'The id or the name of the vault for --from',
      },
      identityFile: { ...passphraseFile, brief: 'Decrypt with the secret key of age in this file' },
      dryRun: {
        kind: 'boolean',
        default: false,
        withNegated: false,
        brief: 'Read the whole file and write nothing',
      },
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'The file to import', placeholder: 'FILE', parse: String }],
    },
  },
  docs: {
    customUsage: ['FILE', '--from auto --vault Team --dry-run FILE'],
    brief: 'Read the JSON lines of export, or the export of a password manager',
    fullDescription: [
      'Creates the vaults of an export with their ids. Items and files get new ids, versions and',
      'times. If one of the vaults exists, nothing is written.',
      '',
      '--from reads 1PUX, Bitwarden, Chrome, Firefox, LastPass or CXF into one vault, and prints',
      'everything that was lost. A second run imports nothing twice.',
    ].join('\n'),
  },
})
