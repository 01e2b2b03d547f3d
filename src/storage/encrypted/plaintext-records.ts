/** Recognizes records that a vault service wrote before its store was encrypted. */

const openingBrace = 0x7b

/**
 * Returns true if a body is a plaintext record: its first byte is `{`, the beginning of JSON
 * objects, with which no envelope begins.
 */
export function isPlaintext(body: Uint8Array): boolean {
  return body[0] === openingBrace
}
