/** The random values of one call. Each is drawn once, even if the call is retried. */

import { newId, type RandomBytes } from '../runtime/random.js'
import { generateValue, type PasswordSpec } from './generate-value.js'

/** The random values of one call. */
export interface Draws {
  /** Returns a new id. For the same place, returns the same id again. */
  id(place: string): string
  /**
   * Generates a value. For the same field and spec, returns the same value again. A field without
   * an id is named by its index.
   */
  value(field: string | number, spec: PasswordSpec): string
}

/** Creates the random values of a call. Nothing is drawn before it is needed. */
export function createDraws(randomBytes: RandomBytes): Draws {
  const drawn = new Map<string, string>()
  const draw = (key: string, make: () => string): string => {
    const value = drawn.get(key) ?? make()
    drawn.set(key, value)
    return value
  }
  return {
    id: (place) => draw(place, () => newId(randomBytes)),
    value: (field, spec) =>
      draw(JSON.stringify([field, spec.length, ...spec.sets]), () =>
        generateValue(spec, randomBytes),
      ),
  }
}
