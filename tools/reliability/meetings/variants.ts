/**
 * Variants of the library that break a promise where two parts meet, each as a change of a few
 * lines of its source. Each of them was the library once.
 */

import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** A variant. */
export interface Variant {
  readonly name: string
  /** The changed file, in `src`. */
  readonly file: string
  /** The lines that are replaced. They occur once in the file. */
  readonly from: string
  readonly to: string
}

const root = new URL('../../../src/', import.meta.url)

/** All variants. */
export const variants: readonly Variant[] = []

/**
 * Loads the source of a variant instead of the file of the library, from now on.
 * @throws Error if the file has changed so that the variant no longer applies.
 */
export function applyVariant(name: string): void {
  const variant = variants.find((each) => each.name === name)
  if (variant === undefined) throw new RangeError(`no variant is called ${name}`)
  const { file, from, to } = variant
  const url = new URL(file, root)
  const parts = readFileSync(url, 'utf8').split(from)
  if (parts.length !== 2)
    throw new Error(`the variant '${name}' does not apply: its lines are not once in ${file}`)
  registerHooks({
    load(loaded, context, next) {
      if (loaded !== url.href) return next(loaded, context)
      return { ...next(loaded, context), source: parts.join(to) }
    },
  })
}
