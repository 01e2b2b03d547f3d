/** Base64 (RFC 4648, section 4). */

/** The part of Node's `Buffer` that is used. Bun, Deno and some workers have it, too. */
interface NodeBuffer {
  from(
    buffer: ArrayBufferLike,
    offset: number,
    length: number,
  ): { toString(form: 'base64'): string }
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
