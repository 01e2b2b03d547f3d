/** The flags `--store` and `--encrypt`, and the environment that replaces them. */

import type { CommandLine } from '../command-line.js'
import { textFlag } from '../flags.js'
import { defaultStore, parseStore, type StoreLocation } from './parse-store.js'

/** The values of {@link storeFlags}. */
export interface StoreFlags {
  readonly store?: StoreLocation
  readonly encrypt?: string
}

/** The flags of every command that opens a store. */
export const storeFlags = {
  store: {
    kind: 'parsed',
    parse: parseStore,
    optional: true,
    brief: 'The store; $COFFERKIT_STORE or sqlite:cofferkit.db if absent',
    placeholder: 'STORE',
  },
  encrypt: textFlag('KEYFILE', 'Encrypt with the key of this file; $COFFERKIT_KEY_FILE if absent'),
} as const

/** Returns the location of the store: of the flag, of the environment, or of the default. */
export function locateStore({ process }: CommandLine, { store }: StoreFlags): StoreLocation {
  return store ?? parseStore(process.env['COFFERKIT_STORE'] ?? defaultStore)
}

/** Returns the key file: that of the flag, or of the environment, or undefined. */
export function findKeyFile({ process }: CommandLine, { encrypt }: StoreFlags): string | undefined {
  return encrypt ?? (process.env['COFFERKIT_KEY_FILE'] || undefined)
}
