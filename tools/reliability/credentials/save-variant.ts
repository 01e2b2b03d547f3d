/** The kind of credential that the processes save, and the broken variants of the service. */

import type { VaultService } from 'cofferkit'
import type { CredentialKind } from 'cofferkit/credentials'
import { replaceInputs } from '../support/replace-operations.js'

/**
 * A kind with a field for each of at most ten processes. Its provider takes 5 ms, in which other
 * processes save.
 */
export const sharedKind: CredentialKind = {
  verify: () => new Promise((resolve) => setTimeout(resolve, 5, true)),
  fields: {
    key: { secret: true },
    ...Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`p${index}`, { optional: true }]),
    ),
  },
}

/**
 * The variants of the service. `random id` creates items under random ids, as a settings page
 * without chosen ids does; `no version` writes what it has merged over whichever version is stored.
 */
export const saveVariants = ['real', 'random id', 'no version'] as const

/** The name of a variant. */
export type SaveVariant = (typeof saveVariants)[number]

/** Returns the service without what the variant lacks. */
export function breakService(service: VaultService, variant: SaveVariant): VaultService {
  if (variant === 'real') return service
  return replaceInputs(service, (input) => {
    const { prepare } = input
    if (typeof prepare !== 'function') return input
    if (variant === 'random id') return { ...input, itemId: createItemId() }
    let first: unknown
    return {
      ...input,
      prepare: (find: () => Promise<unknown>) =>
        prepare(async () => {
          first ??= await find()
          return first
        }).then(({ make, ...prepared }: Prepared) => ({
          ...prepared,
          make: (before: unknown, version: number) => make(first ?? before, version),
        })),
    }
  })
}

/** The item that the library has prepared: `PreparedCredential`. */
interface Prepared {
  readonly make: (before: unknown, version: number) => unknown
}

function createItemId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(25))
  return `a${Array.from(bytes, (byte) => (byte % 32).toString(32)).join('')}`
}
