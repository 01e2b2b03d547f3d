/** Derives the id of an imported file, by which the next import finds it. */

/**
 * Returns a UUID of version 8 (RFC 9562, section 5.8), in lower case, made from the SHA-256 of the
 * source id of an item and the id of a file in its source.
 */
export async function fileIdOf(sourceId: string, id: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([sourceId, id]))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
  const hex = [...digest.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-')
}
