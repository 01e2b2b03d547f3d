/** Hexadecimal digits. */

/** Returns two lowercase hexadecimal digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Decodes hexadecimal digits, in any case. Returns undefined for any other string. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 2 !== 0 || !/^[\da-f]*$/i.test(text)) return undefined
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(index * 2, index * 2 + 2), 16),
  )
}
