/** Base64 (RFC 4648, section 4). */

/** Encodes bytes, at most some tens of thousands, because each is an argument of one call. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
