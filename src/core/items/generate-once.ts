/** Generates each value of an update once, however often the update is retried. */

import type { RandomBytes } from '../runtime/random.js'
import { generateValue, type PasswordSpec } from './generate-value.js'

/** The values that were generated, by field and spec. */
export type GeneratedValues = Map<string, string>

/**
 * Generates a value; the same one again for the same field and spec. A field without an id is named
 * by its index.
 */
export function generateOnce(
  generated: GeneratedValues,
  spec: PasswordSpec,
  field: string | number,
  randomBytes: RandomBytes,
): string {
  const key = JSON.stringify([field, spec.length, ...spec.sets])
  const value = generated.get(key) ?? generateValue(spec, randomBytes)
  generated.set(key, value)
  return value
}
