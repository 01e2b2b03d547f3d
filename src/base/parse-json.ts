/** Parses JSON without an error that quotes it. */

/** Returns the value, or undefined if the text is not JSON. `JSON.parse` would quote the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
