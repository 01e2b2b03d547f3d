/** Decodes bytes that should be UTF-8. */

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Returns the text with its byte order mark, or undefined if the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array | ArrayBuffer): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
