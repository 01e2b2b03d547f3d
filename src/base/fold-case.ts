/** Converts strings so that strings that differ only in case become equal. */

/** Converts strings before they are compared. */
export type Fold = (text: string) => string

/** Returns the text unchanged, so that case counts. */
export function keepCase(text: string): string {
  return text
}

/**
 * The letters with case of Unicode 14, and the characters between them. Letters that were added
 * later are kept unchanged, because a runtime with an older Unicode would not convert them, and a
 * newer one would not find what it stored.
 */
const casedLetters =
  /[A-\u052f\u0531-\u0587\u10a0-\u10ff\u13a0-\u13fd\u1c80-\u1c88\u1c90-\u1cbf\u1d79-\u1ffc\u2126-\u2184\u24b6-\u24e9\u2c00-\u2d2d\ua640-\ua69b\ua722-\ua7ca\ua7d0\ua7d1\ua7d6-\ua7d9\ua7f5\ua7f6\uab53\uab70-\uabbf\ufb00-\ufb17\uff21-\uff5a\u{10400}-\u{104fb}\u{10570}-\u{105bc}\u{10c80}-\u{10cf2}\u{118a0}-\u{118df}\u{16e40}-\u{16e7f}\u{1e900}-\u{1e943}]+/gu

/**
 * Folds the case of a text by the rules of Unicode without a language, in the same way in every
 * runtime: `ß` is equal to `ss`, `ı` to `i`, and the Kelvin sign to `k`. Nothing is normalized.
 *
 * Each character is converted independently of its neighbours, so a part of a string is also a part
 * of the result. The result is at most three times as long as the text, and never shorter.
 */
export function foldCase(text: string): string {
  if (!/[^ -~]/.test(text)) return text.toLowerCase()
  return text.replace(casedLetters, foldLetters)
}

/**
 * Lower case equates the Kelvin sign and `k`, and upper case `ß` and `ss`. The result is in lower
 * case, because a letter can get a capital in a later Unicode, as `ƛ` did in 16.
 */
function foldLetters(letters: string): string {
  return letters.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

/**
 * Replaces the letters A to Z with lowercase ones. Any other letter is kept. The Kelvin sign, for
 * example, does not become a k. Strings that this makes equal are also made equal by `foldCase`.
 */
export function foldAsciiCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
