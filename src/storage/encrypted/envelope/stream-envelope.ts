/**
 * The envelope that a content is sealed in, chunk by chunk.
 *
 * First 24 bytes: the format, 1; a 0; the id of the data key in 2 bytes; 20 random bytes, the prefix. Then the chunks:
 * 65,536 bytes of content each, the last one 0 to 65,536, sealed, so 16 bytes longer. The nonce of a chunk is the
 * prefix and the number of the chunk, from 0, in 4 bytes; its additional data is the length-prefixed list of format,
 * `blob`, the blob's id, the chunk's number, 1 for the last chunk and else 0, and the key id. An empty content is one
 * last chunk of nothing. The numbers and the mark on the last are those of the STREAM construction (Hoang, Reyhanitabar,
 * Rogaway, Vizár: Online Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance, 2015).
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

/** Bytes of content in every chunk but the last. */
export const chunkLength = 65_536

const headerLength = 24
const prefixStart = 4
const mostChunks = 2 ** 32

/** The envelope of the content of blob `id`, in pieces. A prefix must never be used twice with one key. */
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
  for (let number = 0, last = false; !last; number++) {
    const chunk = await content.take(chunkLength)
    last = await content.isAtEnd()
    yield encrypt(key.bytes, ...placeOf(id, key.id, prefix, number, last), chunk)
  }
}

/**
 * The content of an envelope that is stored under `id`, in pieces, each as new bytes. `keyOf` is asked once.
 * @throws DecryptionError as soon as a chunk is not the one that belongs there; what came before was right.
 */
export async function* decryptChunks(
  id: string,
  keyOf: (keyId: number) => DataKey | Promise<DataKey>,
  envelope: ByteReader,
): AsyncGenerator<Uint8Array, void, undefined> {
  const header = await envelope.take(headerLength)
  if (header.length < headerLength || header[0] !== envelopeFormat || header[1] !== 0)
    throw new DecryptionError()
  const key = await keyOf(new DataView(header.buffer, header.byteOffset).getUint16(2))
  const prefix = header.subarray(prefixStart)
  for (let number = 0, last = false; !last; number++) {
    const chunk = await envelope.take(chunkLength + tagLength)
    last = await envelope.isAtEnd()
    yield decrypt(key.bytes, ...placeOf(id, key.id, prefix, number, last), chunk)
  }
}

/** The nonce and the additional data of a chunk. */
function placeOf(
  id: string,
  keyId: number,
  prefix: Uint8Array,
  number: number,
  last: boolean,
): [nonce: Uint8Array, additionalData: Uint8Array] {
  if (number >= mostChunks) throw new RangeError('a content has at most 2^32 chunks')
  const nonce = new Uint8Array(prefix.length + 4)
  nonce.set(prefix)
  new DataView(nonce.buffer).setUint32(prefix.length, number)
  const fields = [envelopeFormat, 'blob', id, number, last ? 1 : 0, keyId]
  return [nonce, encodeFields(fields)]
}
