/**
 * A broken variant of the generator: it takes one character of each set, fills up with any, and
 * shuffles. Its values look right, but some are more frequent than others.
 */

import type { PasswordSpec } from '../../../src/core/items/generate-value.js'
import type { RandomBytes } from '../../../src/core/runtime/random.js'

/** Returns a string with at least one character of each set; not all strings are equally likely. */
export function fillAndShuffle({ sets, length }: PasswordSpec, randomBytes: RandomBytes): string {
  const all = sets.join('')
  const pick = (text: string): string => text[below(text.length, randomBytes)] ?? ''
  const chosen = [
    ...sets.map(pick),
    ...Array.from({ length: length - sets.length }, () => pick(all)),
  ]
  for (let ref = length - 1; ref > 0; ref--) {
    const other = below(ref + 1, randomBytes)
    ;[chosen[ref], chosen[other]] = [chosen[other] ?? '', chosen[ref] ?? '']
  }
  return chosen.join('')
}

/** Returns a number from 0 to `bound - 1`, each equally likely. */
function below(bound: number, randomBytes: RandomBytes): number {
  for (;;) {
    const byte = randomBytes(1)[0] ?? 0
    if (byte < 256 - (256 % bound)) return byte % bound
  }
}
