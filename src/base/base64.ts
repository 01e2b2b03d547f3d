/** Base64 (RFC 4648, section 4) and base64url (section 5). */

/** The part of Node's `Buffer` used here. Bun, Deno and some workers have it as well. */
interface NodeBuffer {
  from(
    buffer: ArrayBufferLike,
    offset: number,
    length: number,
  ): { toString(form: 'base64' | 'base64url'): string }
  from(text: string, form: 'base64' | 'base64url'): Uint8Array
}

/**
 * Returns true for base64 with padding, of any length. A regular expression with a repeated group
 * would overflow the stack after some MiB.
 */
export function isBase64(text: unknown): text is string {
  return typeof text === 'string' && text.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(text)
}

/** Divisible by 3, so that only the last chunk has padding. */
const chunkBytes = 24_576

/**
 * Encodes bytes, with padding. For 1 KB, `toBase64` and `Buffer` take an eighth of the time of
 * `btoa`, which is used where the runtime has neither.
 */
export function toBase64(bytes: Uint8Array): string {
  // Node has this method from version 25 on.
  if ('toBase64' in bytes) return (bytes as Uint8Array & { toBase64(): string }).toBase64()
  const buffer: NodeBuffer | undefined = Reflect.get(globalThis, 'Buffer')
  if (buffer !== undefined)
    return buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
  let text = ''
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    // Spread arguments would cost seven times as much.
    const chunk = bytes.subarray(start, start + chunkBytes)
    text += btoa(Reflect.apply(String.fromCharCode, undefined, chunk))
  }
  return text
}

/**
 * Decodes base64 with padding.
 * @returns New bytes, or undefined if the text is not base64. Unused bits are ignored.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  let length = (text.length / 4) * 3
  if (text.endsWith('=')) length -= text.endsWith('==') ? 2 : 1
  const buffer: NodeBuffer | undefined = Reflect.get(globalThis, 'Buffer')
  const bytes = buffer === undefined ? decodeByCharacter(text) : buffer.from(text, 'base64')
  // `Buffer` skips what is not base64.
  if (bytes?.length !== length) return undefined
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

function decodeByCharacter(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Encodes bytes as base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  const buffer: NodeBuffer | undefined = Reflect.get(globalThis, 'Buffer')
  if (buffer !== undefined)
    return buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url')
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The last characters whose unused bits are zero, by the number of characters after the last four. */
const canonicalEnds = [/$/, undefined, /[AQgw]$/, /[AEIMQUYcgkosw048]$/]

/**
 * Decodes base64url as `toBase64Url` returns it.
 * @returns New bytes. Undefined if the string has padding, another character or unused bits that
 * are not zero (RFC 4648, section 3.5), so that each value has one spelling.
 */
export function fromBase64Url(text: string): Uint8Array | undefined {
  if (!/^[\w-]*$/.test(text) || !canonicalEnds[text.length % 4]?.test(text)) return undefined
  const buffer: NodeBuffer | undefined = Reflect.get(globalThis, 'Buffer')
  if (buffer !== undefined) {
    const { buffer: memory, byteOffset, length } = buffer.from(text, 'base64url')
    return new Uint8Array(memory, byteOffset, length)
  }
  return decodeByCharacter(text.replaceAll('-', '+').replaceAll('_', '/'))
}
