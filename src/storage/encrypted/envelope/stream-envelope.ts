/**
 * The envelope of an encrypted blob, chunk by chunk.
 *
 * The header has 24 bytes: the format, 1; a 0; the id of the data key in 2 bytes; the prefix, 20
 * random bytes. The chunks follow. Each contains 65,536 bytes of content, the last one 0 to 65,536,
 * and is 16 bytes longer because it is encrypted. Empty content is one empty chunk.
 *
 * The nonce of a chunk is the prefix and the number of the chunk, from 0, in 4 bytes. Its
 * additional data is the encoded fields format, `blob`, the blob's id, the chunk's number, 1 for
 * the last chunk and else 0, and the key id. Numbering the chunks and flagging the last one is the
 * STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár: Online Authenticated-Encryption and its
 * Nonce-Reuse Misuse-Resistance, 2015).
 */

import { undecryptableError } from '../../../base/fixed-errors.js'
import { envelopeFormat } from '../../../store.js'
import { type Chunk, cutContent } from '../../chunks.js'
import { decrypt, encrypt, tagLength } from './cipher.js'
import { encodeFields } from './encoding.js'
import { type DataKey, randomBytes } from './record-envelope.js'

/** Bytes of content in every chunk except the last. */
export const chunkLength = 65_536

/** Bytes of an encrypted chunk of full length. */
const sealedLength = chunkLength + tagLength

const headerLength = 24
const prefixStart = 4
const maxChunks = 2 ** 32

/**
 * Yields the envelope of the content of blob `id`, in pieces.
 * @param findKey Returns the data key, the same for each call. Called for the header and each chunk.
 * @param prefix 20 bytes. Never use a prefix twice with one key. Default: random.
 * @throws RangeError if the content has more than 2^32 chunks. The error of `content` is thrown
 * unchanged.
 */
export async function* encryptChunks(
  id: string,
  findKey: () => DataKey | Promise<DataKey>,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  prefix: Uint8Array = randomBytes(headerLength - prefixStart),
): AsyncGenerator<Uint8Array> {
  const header = new Uint8Array(headerLength)
  header[0] = envelopeFormat
  const { id: keyId } = await findKey()
  new DataView(header.buffer).setUint16(2, keyId)
  header.set(prefix, prefixStart)
  yield header
  let number = 0
  for await (const { bytes, isLast } of cutContent(content, chunkLength)) {
    const key = await findKey()
    yield encrypt(key.bytes, ...chunkParameters(id, keyId, prefix, number++, isLast), bytes)
  }
}

/**
 * Yields the content of an envelope that is stored under `id`, in chunks, each of new bytes.
 * @param findKey Returns the data key with the given id. Called for each chunk, so that its errors
 * end a content that is being read.
 * @throws DecryptionError as soon as a chunk is not the one that was written at this position. The
 * chunks before it are authentic. The error of `envelope` is thrown unchanged.
 */
export async function* decryptChunks(
  id: string,
  findKey: (keyId: number) => DataKey | Promise<DataKey>,
  envelope: Uint8Array | AsyncIterable<Uint8Array>,
): AsyncGenerator<Chunk, undefined> {
  let header: { readonly keyId: number; readonly prefix: Uint8Array } | undefined
  let number = 0
  for await (const { bytes, isLast } of cutContent(envelope, sealedLength, headerLength)) {
    if (header === undefined) {
      if (isLast || bytes[0] !== envelopeFormat || bytes[1] !== 0) throw undecryptableError()
      const keyId = new DataView(bytes.buffer, bytes.byteOffset).getUint16(2)
      header = { prefix: bytes.slice(prefixStart), keyId }
    } else {
      const { keyId, prefix } = header
      const key = await findKey(keyId)
      const parameters = chunkParameters(id, keyId, prefix, number++, isLast)
      yield { bytes: decrypt(key.bytes, ...parameters, bytes), isLast }
    }
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
