/** The checksum of ZIP entries: CRC-32 (ITU-T V.42). */

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** Returns the checksum of the bytes, 0 to 2^32 - 1. */
export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff
  // The index has eight bits, and so has the table.
  for (const byte of bytes) value = (table[(value ^ byte) & 0xff] as number) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
