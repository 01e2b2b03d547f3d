/** Suggests the known name that an unknown one was probably meant to be. */

/** Maximum characters of an unknown name that are compared. */
const maxLength = 64

/** Minimum characters of an unknown name that is the start of a known one. */
const minStart = 4

/**
 * Returns `, did you mean <name>?` with the first known name that differs from `name` in case, in
 * one character or in the order of two, or that is `name` with a suffix such as `Ms`. Otherwise
 * returns an empty string. The result never contains `name`.
 */
export function suggestName(name: string, known: readonly string[]): string {
  const variants = withoutOne(name.slice(0, maxLength))
  const similar = known.find((one) => withoutOne(one).some((variant) => variants.includes(variant)))
  const found = similar ?? known.find((one) => name.length >= minStart && one.startsWith(name))
  return found === undefined ? '' : `, did you mean ${found}?`
}

/**
 * Returns a name in lower case, and each variant of it without one character. Two names that differ
 * in one character, or in the order of two, share a result.
 */
function withoutOne(name: string): readonly string[] {
  const text = name.toLowerCase()
  return [text, ...Array.from(text, (_, index) => text.slice(0, index) + text.slice(index + 1))]
}
