/** Helpers for JSON as text, and for the pointers into it. */

/**
 * Returns the offset behind the quote that ends a string, or the length of the text if the string
 * does not end. A regular expression would fail for a string with millions of escapes.
 * @param start - The offset of the quote that begins the string.
 */
export function endOfJsonString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const end = text.indexOf('"', from)
    if (end < 0) return text.length
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end + 1
    from = end + 1
  }
}

/** Escapes a name for use in a JSON Pointer (RFC 6901, section 3). */
export function escapePointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
