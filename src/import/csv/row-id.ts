/** Derives the source id of a row that has none. */

const prime = 0x100000001b3n
const mask = 0xffffffffffffffffn

/**
 * Returns 16 hexadecimal digits for the parts that identify a row (FNV-1a, 64 bits). The id is not
 * secret and is shown to users, so the parts must not contain a password; a URL can contain one,
 * which is why the parts themselves are not the id.
 */
export function rowId(...parts: readonly string[]): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(parts.join('\u001f')))
    hash = ((hash ^ BigInt(byte)) * prime) & mask
  return hash.toString(16).padStart(16, '0')
}
