/** Prepares the item of a credential: completes its values and asks the provider about them. */

import { invalidInputError } from '../base/fixed-errors.js'
import type { PrepareSave } from '../core/connections/save-credential.js'
import type { PrepareVerification } from '../core/connections/verify-credential.js'
import { CredentialRejectedError, CredentialUnverifiedError, InvalidInputError } from '../errors.js'
import type { Item } from '../schema/item.js'
import {
  type CredentialTarget,
  readValues,
  type SavedValues,
  toItemDraft,
} from './credential-item.js'
import { type CredentialKind, type CredentialValues, findOrigins } from './credential-kind.js'
import { mergeValues } from './merge-values.js'
import type { Verifier } from './verify-values.js'

/** The values of a save, and what to do if they cannot be verified. */
export interface SaveInput {
  readonly given: unknown
  readonly whenUnverified: 'save' | 'refuse'
}

/**
 * Returns the function that prepares a save of `given`. It asks the provider about the values that
 * would be stored. The item is made only if the values are still the same afterwards.
 */
export function prepareSave(
  target: CredentialTarget,
  { given, whenUnverified }: SaveInput,
  verify: Verifier,
): PrepareSave {
  const { kind, name } = target
  const isRefused = kind.verify !== undefined && whenUnverified === 'refuse'
  return async (find) => {
    // Without `verify`, the result does not depend on the values.
    const asked = kind.verify && mergeWith(kind, given, await find()).values
    const check = await verify(asked ?? {})
    if (check.status === 'rejected')
      throw new CredentialRejectedError(`the provider rejects the values of ${name}`)
    if (check.status === 'unverified' && isRefused)
      throw new CredentialUnverifiedError(`the values of ${name} could not be verified`)
    return (before, version) => {
      const saved = mergeWith(kind, given, before)
      if (asked !== undefined && !isSame(saved.values, asked)) return undefined
      return toItemDraft(target, before, check, saved, version)
    }
  }
}

/** Returns the function that prepares a verification of the stored values. */
export function prepareVerification(
  target: CredentialTarget,
  verify: Verifier,
): PrepareVerification {
  const { kind } = target
  return async (stored) => {
    assertNotArchived(stored)
    if (kind.verify === undefined) return undefined
    // A value is missing if the kind did not need it when the credential was saved.
    const { values: asked } = mergeValues(kind, {}, readValues(kind, stored))
    const check = await verify(asked)
    return (before, version) =>
      before !== undefined && isSame(readValues(kind, before), asked)
        ? toItemDraft(target, before, check, undefined, version)
        : undefined
  }
}

/**
 * Returns what is stored if `given` is saved over `before`.
 * @throws InvalidInputError if a value is invalid, or the item is archived.
 */
function mergeWith(kind: CredentialKind, given: unknown, before: Item | undefined): SavedValues {
  const stored = before === undefined ? {} : readValues(kind, assertNotArchived(before))
  const { values, keptSecrets } = mergeValues(kind, given, stored)
  const origins = findOrigins(kind, values)
  assertSameOrigins(kind, stored, origins ?? [], keptSecrets)
  return { values, origins }
}

function assertNotArchived(item: Item): Item {
  if (item.state !== 'ARCHIVED') return item
  throw InvalidInputError.at('', 'an archived credential cannot be changed')
}

/** @throws InvalidInputError if secrets that were entered for other origins would be kept. */
function assertSameOrigins(
  kind: CredentialKind,
  stored: CredentialValues,
  origins: readonly string[],
  keptSecrets: readonly string[],
): void {
  // If the origins are a list, the embedder has decided on the new ones.
  if (keptSecrets.length === 0 || typeof kind.origins !== 'function') return
  const known = new Set(findKnownOrigins(kind, stored))
  if (origins.every((origin) => known.has(origin))) return
  const message = 'must be entered again, because it would be sent to another origin'
  throw invalidInputError(keptSecrets.map((path) => ({ path, message })))
}

/**
 * Returns the origins of stored values, or undefined if a value is missing that the kind now needs.
 */
function findKnownOrigins(
  kind: CredentialKind,
  stored: CredentialValues,
): readonly string[] | undefined {
  try {
    return findOrigins(kind, stored)
  } catch {
    return undefined
  }
}

/** Both objects have their members in the order of the kind's fields. */
function isSame(one: CredentialValues, other: CredentialValues): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
