/**
 * Decrypts the data of an encrypted store without the library, with OpenSSL’s ciphers as in
 * src/storage/encrypted/FORMAT.md.
 */

import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'

/** The constants of ChaCha20, "expand 32-byte k". */
const constants = Buffer.from('expand 32-byte k')

/** The content of a key ring record, without its MAC. */
export interface StoredRing {
  readonly format: number
  readonly shifted: boolean
  readonly next: boolean
  readonly kekId: string
  readonly secret: string
  readonly keys: readonly { readonly id: number; readonly made: number }[]
  readonly sealed: string
}

/** Encodes fields, each with its length before it. */
export function encodeFieldsByHand(...values: readonly (string | number | Uint8Array)[]): Buffer {
  return Buffer.concat(
    values.flatMap((value) => {
      const bytes = typeof value === 'number' ? Buffer.alloc(8) : Buffer.from(value as string)
      if (typeof value === 'number') bytes.writeBigUInt64BE(BigInt(value))
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  )
}

/** Decrypts XChaCha20-Poly1305. Throws if the tag is wrong. */
function open(key: Uint8Array, nonce: Buffer, additional: Buffer, sealed: Buffer): Buffer {
  const subkey = hchacha20(key, nonce.subarray(0, 16))
  const short = Buffer.concat([Buffer.alloc(4), nonce.subarray(16)])
  const cipher = createDecipheriv('chacha20-poly1305', subkey, short, { authTagLength: 16 })
  cipher.setAAD(additional, { plaintextLength: sealed.length - 16 })
  cipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
}

/** Decrypts the envelope of a record. */
export function decryptRecord(
  key: Uint8Array,
  { collection, id, version }: { collection: string; id: string; version: number },
  envelope: Buffer,
): Buffer {
  const end = 8 + (envelope[1] === 1 ? 16 : 0)
  const keyId = envelope.readUInt16BE(2)
  const shift = envelope.readUInt32BE(4)
  const indexKey = envelope.subarray(8, end)
  const additional = encodeFieldsByHand(
    1,
    'record',
    collection,
    id,
    version,
    keyId,
    shift,
    indexKey,
  )
  return open(key, envelope.subarray(end, end + 24), additional, envelope.subarray(end + 24))
}

/** Decrypts the envelope of a blob. */
export function decryptBlob(key: Uint8Array, id: string, envelope: Buffer): Buffer {
  const keyId = envelope.readUInt16BE(2)
  const pieces: Buffer[] = []
  for (let number = 0, start = 24; start < envelope.length; number++, start += 65_552) {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(number)
    const isLast = start + 65_552 >= envelope.length
    const additional = encodeFieldsByHand(1, 'blob', id, number, isLast ? 1 : 0, keyId)
    const nonce = Buffer.concat([envelope.subarray(4, 24), count])
    pieces.push(open(key, nonce, additional, envelope.subarray(start, start + 65_552)))
  }
  return Buffer.concat(pieces)
}

/** Returns the blind index label of a string in a collection. */
export function blindLabel(key: Uint8Array, collection: string, text: string): Buffer {
  const message = encodeFieldsByHand('label', collection, text)
  return createHmac('sha256', key).update(message).digest().subarray(0, 16)
}

/** Returns the id of a local KEK. */
export function kekIdByHand(kek: Uint8Array): string {
  const nonce = Buffer.alloc(24)
  const short = Buffer.concat([Buffer.alloc(4), nonce.subarray(16)])
  const subkey = hchacha20(kek, nonce.subarray(0, 16))
  const cipher = createCipheriv('chacha20-poly1305', subkey, short, { authTagLength: 16 })
  cipher.setAAD(encodeFieldsByHand('cofferkit key id'), { plaintextLength: 0 })
  cipher.final()
  return `key-${cipher.getAuthTag().toString('hex').slice(0, 8)}`
}

/** Unwraps the 32 bytes of a ring's secret that a local KEK has wrapped for a purpose and a scope. */
export function unwrapSecretByHand(
  kek: Uint8Array,
  context: readonly [purpose: string, scope: string],
  secret: string,
): Buffer {
  const bytes = Buffer.from(secret, 'base64')
  return open(kek, bytes.subarray(0, 24), encodeFieldsByHand(...context), bytes.subarray(24))
}

/** Decrypts the keys of a ring: the blind-index key, then each data key. */
export function openKeysByHand(
  secret: Uint8Array,
  scope: string,
  { sealed, keys }: StoredRing,
): Buffer {
  const bytes = Buffer.from(sealed, 'base64')
  const additional = encodeFieldsByHand(1, 'ring keys', scope, ...keys.map(({ id }) => id))
  return open(secret, bytes.subarray(0, 24), additional, bytes.subarray(24))
}

/** Opens a sealed text. @param parts The place. */
export function openSealedText(
  key: Uint8Array,
  scope: string,
  parts: readonly string[],
  text: string,
): string {
  const [start, keyId, data = ''] = text.split('.')
  if (start !== 'coffer1') throw new Error('another format')
  const bytes = Buffer.from(data, 'base64url')
  const additional = encodeFieldsByHand(1, 'text', scope, Number(keyId), ...parts)
  return open(key, bytes.subarray(0, 24), additional, bytes.subarray(24)).toString()
}

/** Returns the MAC of a key ring. @param material Its keys, decrypted. */
export function ringMac(
  material: Uint8Array,
  scope: string,
  version: number,
  { format, shifted, next, kekId, secret, sealed, keys }: StoredRing,
  label = 'ring',
): Buffer {
  const ringKey = createHmac('sha256', material.subarray(0, 32))
    .update(encodeFieldsByHand('ring key'))
    .digest()
  const flags = [Number(shifted), Number(next)]
  const entries = [kekId, secret, sealed, ...keys.flatMap(({ id, made }) => [id, made])]
  const message = encodeFieldsByHand(format, label, scope, version, ...flags, ...entries)
  return createHmac('sha256', ringKey).update(message).digest()
}

/**
 * HChaCha20 is a block of ChaCha20 without the final addition of the input, which is subtracted
 * here.
 */
function hchacha20(key: Uint8Array, input: Buffer): Buffer {
  const block = createCipheriv('chacha20', key, input).update(Buffer.alloc(64))
  const words = [0, 4, 8, 12, 48, 52, 56, 60].map((ref) => {
    const added = ref < 16 ? constants.readUInt32LE(ref) : input.readUInt32LE(ref - 48)
    return (block.readUInt32LE(ref) - added) >>> 0
  })
  const subkey = Buffer.alloc(32)
  for (const [index, word] of words.entries()) subkey.writeUInt32LE(word, index * 4)
  return subkey
}
