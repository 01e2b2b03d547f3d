/** The sample exports of `test/vectors/import`. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportFormat, ImportLossKind } from 'cofferkit/import'

const folder = join(import.meta.dirname, '../vectors/import')

/** The numbers of what is in a sample, and of what cannot be carried over. */
interface Counts {
  readonly items: number
  readonly files: number
  readonly losses: Readonly<Partial<Record<ImportLossKind, number>>>
}

/** A sample export. */
export interface ImportVector extends Counts {
  readonly name: string
  readonly format: ImportFormat
  /** Secrets of the sample that are in nothing that can be carried over. */
  readonly dropped?: number
}

/** Every sample that can be read, with what must be found in it. */
export const importVectors: readonly ImportVector[] = [
  {
    name: 'sample.1pux',
    format: '1pux',
    items: 11,
    files: 3,
    losses: {
      ...{ attribute: 5, converted: 4, field: 2, file: 2, item: 1 },
      ...{ passkey: 1, 'password-history': 1 },
    },
    // Two earlier passwords, the older form of an SSH key, a trashed item and a passkey.
    dropped: 5,
  },
  {
    name: 'bitwarden.json',
    format: 'bitwarden',
    items: 10,
    files: 0,
    losses: {
      ...{ attribute: 6, converted: 3, field: 1, item: 2, passkey: 1, 'password-history': 1 },
    },
    // An earlier password, a passkey, an item of an unknown type and a deleted item.
    dropped: 4,
  },
  {
    name: 'bitwarden.organization.json',
    format: 'bitwarden',
    items: 1,
    files: 0,
    losses: { attribute: 1 },
  },
  { name: 'bitwarden.zip', format: 'bitwarden', items: 1, files: 2, losses: {} },
]

/** Returns the bytes of a sample. */
export function readVector(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(folder, name)))
}

/** Returns the bytes of a text. */
export function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Returns the bytes of a value as JSON. */
export function toJson(value: unknown): Uint8Array {
  return toBytes(JSON.stringify(value))
}

/** Returns the secrets in a text: every secret of the samples has this form. */
export function secretsIn(text: string): string[] {
  return [...new Set(text.match(/SWORDFISH-\d+/g))].sort()
}
