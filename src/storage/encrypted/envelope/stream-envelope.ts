/**
 * The envelope of an encrypted blob, chunk by chunk.
 *
 * The header has 24 bytes: the format, 1; a 0; the id of the data key in 2 bytes; the prefix, 20
 * random bytes. The chunks follow: 65,536 bytes of content each, 0 to 65,536 in the last one,
 * encrypted, so 16 bytes longer. Empty content is one empty chunk.
 *
 * The nonce of a chunk is the prefix and the number of the chunk, from 0, in 4 bytes. Its
 * additional data is the encoded fields format, `blob`, the blob's id, the chunk's number, 1 for
 * the last chunk and else 0, and the key id. Numbering the chunks and flagging the last one is the
 * STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár: Online Authenticated-Encryption and its
 * Nonce-Reuse Misuse-Resistance, 2015).
 */

import { DecryptionError } from '../../../errors.js'
import type { ByteReader } from './byte-reader.js'
import { encodeFields } from './encoding.js'
import {
  type DataKey,
  decrypt,
  encrypt,
  envelopeFormat,
  randomBytes,
  tagLength,
} from './record-envelope.js'

/** Bytes of content in every chunk except the last. */
export const chunkLength = 65_536

const headerLength = 24
const prefixStart = 4
const maxChunks = 2 ** 32

/**
 * Yields the envelope of the content of blob `id`, in pieces.
 * @param prefix 20 bytes. Must never be used twice with one key. Random if absent.
 * @throws RangeError if the content has more than 2^32 chunks. The error of `content` is thrown
 * unchanged.
 */
export async function* encryptChunks(
  id: string,
  key: DataKey,
  content: ByteReader,
  prefix: Uint8Array = randomBytes(headerLength - prefixStart),
): AsyncGenerator<Uint8Array, void, undefined> {
  const header = new Uint8Array(headerLength)
  header[0] = envelopeFormat
  new DataView(header.buffer).setUint16(2, key.id)
  header.set(prefix, prefixStart)
  yield header
  for (let number = 0, isLast = false; !isLast; number++) {
    const chunk = await content.read(chunkLength)
    isLast = await content.isAtEnd()
    yield encrypt(key.bytes, ...chunkParameters(id, key.id, prefix, number, isLast), chunk)
  }
}

/**
 * Yields the content of an envelope that is stored under `id`, in pieces, each as new bytes.
 * @param findKey Returns the data key with the given id. Called once.
 * @throws DecryptionError as soon as a chunk is not the one that was written in this position. The
 * chunks before it are authentic. The error of `envelope` is thrown unchanged.
 */
export async function* decryptChunks(
  id: string,
  findKey: (keyId: number) => DataKey | Promise<DataKey>,
  envelope: ByteReader,
): AsyncGenerator<Uint8Array, void, undefined> {
  const header = await envelope.read(headerLength)
  if (header.length < headerLength || header[0] !== envelopeFormat || header[1] !== 0)
    throw new DecryptionError()
  const key = await findKey(new DataView(header.buffer, header.byteOffset).getUint16(2))
  const prefix = header.subarray(prefixStart)
  for (let number = 0, isLast = false; !isLast; number++) {
    const chunk = await envelope.read(chunkLength + tagLength)
    isLast = await envelope.isAtEnd()
    yield decrypt(key.bytes, ...chunkParameters(id, key.id, prefix, number, isLast), chunk)
  }
}

/** Returns the nonce and the additional data of a chunk. */
function chunkParameters(
  id: string,
  keyId: number,
  prefix: Uint8Array,
  number: number,
  isLast: boolean,
): [nonce: Uint8Array, additionalData: Uint8Array] {
  if (number >= maxChunks) throw new RangeError('a blob has at most 2^32 chunks')
  const nonce = new Uint8Array(prefix.length + 4)
  nonce.set(prefix)
  new DataView(nonce.buffer).setUint32(prefix.length, number)
  const fields = [envelopeFormat, 'blob', id, number, isLast ? 1 : 0, keyId]
  return [nonce, encodeFields(fields)]
}
