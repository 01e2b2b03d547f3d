/** The kind of credential that the processes save, and the broken variants of the service. */

import type { CallerOperations, VaultService } from 'cofferkit'
import type { CredentialKind } from 'cofferkit/credentials'
import { replaceBound, replaceOperations } from '../support/replace-operations.js'

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
 * without `itemId` does; `no version` replaces whichever version is stored.
 */
export const saveVariants = ['real', 'random id', 'no version'] as const

/** The name of a variant. */
export type SaveVariant = (typeof saveVariants)[number]

/** Returns the service without what the variant lacks. */
export function breakService(service: VaultService, variant: SaveVariant): VaultService {
  if (variant === 'real') return service
  return replaceOperations(service, {
    as(caller): CallerOperations {
      const own = service.as(caller)
      if (variant === 'random id')
        return replaceBound(own, {
          createItem: ({ itemId: _, ...input }) => own.createItem(input),
        })
      return replaceBound(own, {
        replaceItem: ({ ifVersion: _, ...input }) => own.replaceItem(input),
      })
    },
  })
}
