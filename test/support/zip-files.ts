/** Writes ZIP archives with any numbers in them, for tests of damaged and hostile ones. */

import { crc32, deflateRawSync } from 'node:zlib'

/** An entry, and what its headers state instead of the truth. */
export interface ZipEntry {
  readonly name: string
  readonly content: Uint8Array
  /** Stored without compression; false if absent. */
  readonly stored?: boolean
  readonly claims?: {
    readonly flags?: number
    readonly method?: number
    readonly crc?: number
    readonly packedSize?: number
    readonly size?: number
    readonly headerOffset?: number
    readonly nameSize?: number
  }
}

/** What the end of the directory states instead of the truth. */
export interface EndClaims {
  readonly count?: number
  readonly start?: number
}

/** Returns an archive. */
export function writeZip(entries: readonly ZipEntry[], end: EndClaims = {}): Uint8Array {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, stored = false, claims = {} } of entries) {
    const packed = stored ? Buffer.from(content) : deflateRawSync(content)
    const fields = {
      flags: 0,
      method: stored ? 0 : 8,
      crc: crc32(content),
      packedSize: packed.length,
      size: content.length,
      headerOffset: offset,
      nameSize: Buffer.byteLength(name),
      ...claims,
    }
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(Buffer.byteLength(name), 26)
    parts.push(header, Buffer.from(name), packed)
    offset += 30 + Buffer.byteLength(name) + packed.length
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(fields.flags, 8)
    entry.writeUInt16LE(fields.method, 10)
    entry.writeUInt32LE(fields.crc, 16)
    entry.writeUInt32LE(fields.packedSize, 20)
    entry.writeUInt32LE(fields.size, 24)
    entry.writeUInt16LE(fields.nameSize, 28)
    entry.writeUInt32LE(fields.headerOffset, 42)
    directory.push(entry, Buffer.from(name))
  }
  const tail = Buffer.alloc(22)
  tail.writeUInt32LE(0x06054b50, 0)
  tail.writeUInt16LE(end.count ?? entries.length, 10)
  tail.writeUInt32LE(end.start ?? offset, 16)
  return new Uint8Array(Buffer.concat([...parts, ...directory, tail]))
}
