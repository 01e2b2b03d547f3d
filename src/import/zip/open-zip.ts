/**
 * Opens a ZIP archive from outside. Nothing is unpacked before its size is known to be within the
 * limits, and no name of an entry is ever used as a path.
 */

import { Inflate } from 'fflate/browser'
import { InvalidInputError } from '../../index.js'
import type { ReadLimits } from '../limits.js'

/** An archive whose directory was read. */
export interface ZipArchive {
  /** The names of the entries, without folders. */
  readonly names: readonly string[]
  /**
   * Returns the content of an entry.
   * @returns undefined if the archive has no entry of that name.
   * @throws InvalidInputError if the entry is encrypted or damaged, or larger than `maxBytes`.
   */
  read(name: string, maxBytes: number): Uint8Array | undefined
  /**
   * How many bytes reading an entry costs: its packed or its unpacked size, whichever is larger.
   */
  costOf(name: string): number
}

/** An entry of the directory (APPNOTE.TXT, section 4.3.12). */
interface Entry {
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly packedSize: number
  readonly size: number
  readonly headerOffset: number
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const headerSignature = 0x04034b50
const endSize = 22
const maxCommentSize = 65_535
/** More bytes than one byte of DEFLATE (RFC 1951) can become. */
const maxRatio = 1040
/** The packed bytes that are unpacked at a time. */
const stepBytes = 16_384

/** Returns true if the bytes begin like a ZIP archive. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5)
}

/**
 * Reads the directory of an archive. Of two entries with the same name, the first one counts.
 * @throws InvalidInputError if it is not a ZIP archive, or has too many entries.
 */
export function openZip(bytes: Uint8Array, { entries: maxEntries }: ReadLimits): ZipArchive {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const entries = readDirectory(bytes, view, maxEntries)
  return {
    names: [...entries.keys()],
    costOf(name) {
      const { size = 0, packedSize = 0 } = entries.get(name) ?? {}
      return Math.max(size, packedSize)
    },
    read(name, maxBytes) {
      const entry = entries.get(name)
      return entry && unpack(bytes, view, entry, maxBytes)
    },
  }
}

function readDirectory(bytes: Uint8Array, view: DataView, maxEntries: number): Map<string, Entry> {
  const end = findEnd(view)
  const count = view.getUint16(end + 10, true)
  const start = view.getUint32(end + 16, true)
  if (count === 0xffff || start === 0xffffffff)
    throw zipError('the archive has the ZIP64 format, which no export of this size needs')
  if (count > maxEntries) throw zipError(`the archive has more than ${maxEntries} entries`)
  const entries = new Map<string, Entry>()
  let offset = start
  for (let index = 0; index < count; index++) {
    if (offset + 46 > end || view.getUint32(offset, true) !== entrySignature) throw damagedError()
    const nameStart = offset + 46
    const nameEnd = nameStart + view.getUint16(offset + 28, true)
    if (nameEnd > end) throw damagedError()
    const name = new TextDecoder().decode(bytes.subarray(nameStart, nameEnd))
    const entry = {
      flags: view.getUint16(offset + 8, true),
      method: view.getUint16(offset + 10, true),
      crc: view.getUint32(offset + 16, true),
      packedSize: view.getUint32(offset + 20, true),
      size: view.getUint32(offset + 24, true),
      headerOffset: view.getUint32(offset + 42, true),
    }
    if (!name.endsWith('/') && !entries.has(name)) entries.set(name, entry)
    offset = nameEnd + view.getUint16(offset + 30, true) + view.getUint16(offset + 32, true)
  }
  return entries
}

/** Returns the offset of the end of the directory, which a comment can follow. */
function findEnd(view: DataView): number {
  const last = view.byteLength - endSize
  for (let offset = last; offset >= 0 && offset >= last - maxCommentSize; offset--)
    if (view.getUint32(offset, true) === endSignature) return offset
  throw zipError('the file is not a ZIP archive')
}

function unpack(bytes: Uint8Array, view: DataView, entry: Entry, maxBytes: number): Uint8Array {
  const { flags, method, crc, packedSize, size, headerOffset } = entry
  if (flags & 1) throw zipError('the archive is encrypted')
  if (method !== 0 && method !== 8) throw zipError('the archive has an unknown compression method')
  if (size > maxBytes) throw zipError(`the text in the archive is longer than ${maxBytes} bytes`)
  if (headerOffset + 30 > bytes.length) throw damagedError()
  if (view.getUint32(headerOffset, true) !== headerSignature) throw damagedError()
  const nameSize = view.getUint16(headerOffset + 26, true)
  const start = headerOffset + 30 + nameSize + view.getUint16(headerOffset + 28, true)
  if (start + packedSize > bytes.length) throw damagedError()
  const packed = bytes.subarray(start, start + packedSize)
  const content = method === 0 ? packed.slice() : inflate(packed, size)
  if (content.length !== size || crc32(content) !== crc) throw damagedError()
  return content
}

/**
 * Unpacks in steps, and stops once there are more bytes than the directory states. Otherwise a few
 * megabytes could keep a process busy for minutes.
 */
function inflate(packed: Uint8Array, size: number): Uint8Array {
  if (size > packed.length * maxRatio + maxRatio) throw damagedError()
  const content = new Uint8Array(size)
  let length = 0
  const stream = new Inflate((chunk) => {
    if (length + chunk.length > size) throw damagedError()
    content.set(chunk, length)
    length += chunk.length
  })
  try {
    for (let start = 0; start < packed.length || start === 0; start += stepBytes)
      stream.push(packed.subarray(start, start + stepBytes), start + stepBytes >= packed.length)
  } catch {
    throw damagedError()
  }
  return content.subarray(0, length)
}

function damagedError(): InvalidInputError {
  return zipError('the archive is damaged')
}

function zipError(message: string): InvalidInputError {
  return InvalidInputError.at('', message)
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** Returns the checksum of the bytes, 0 to 2^32 - 1. */
function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff
  // An iterator takes four times as long as an index. The index of the table has eight bits.
  for (let offset = 0; offset < bytes.length; offset++)
    value = (table[(value ^ (bytes[offset] as number)) & 0xff] as number) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
