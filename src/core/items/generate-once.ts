/** Draws what a change needs at random once, however often the change is tried. */

import type { RandomBytes } from '../runtime/random.js'
import { generateValue, type PasswordSpec } from './generate-value.js'

/** Generates the value of a field, which is named by its id, or by its index where it has no id. */
export type GenerateOnce = (space: PasswordSpec, field: string | number) => string

/** A generator that returns the same value again for the same field and space. */
export function createGenerateOnce(randomBytes: RandomBytes): GenerateOnce {
  const values = new Map<string, string>()
  return (space, field) => {
    const key = JSON.stringify([field, space.length, ...space.sets])
    const value = values.get(key) ?? generateValue(space, randomBytes)
    values.set(key, value)
    return value
  }
}

/** A function that rewinds: each call returns a source of the same bytes in the same order, drawn when first needed. */
export function createReplay(randomBytes: RandomBytes): () => RandomBytes {
  const draws: Uint8Array[] = []
  return () => {
    let next = 0
    return (length) => {
      const bytes = draws[next] ?? randomBytes(length)
      draws[next++] = bytes
      return bytes
    }
  }
}
