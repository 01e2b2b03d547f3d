/** Removes the differences in case between texts. */

/**
 * Returns the text in lower case, and that in upper case, by the rules of Unicode without a
 * language. Both are needed: only the first equates the Kelvin sign and `k`, only the second `ß`
 * and `ss`. Each character is converted independently of its neighbours, so a part of a text is
 * also a part of the result. The result is at most three times as long.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase()
}
