/** A key provider whose KEKs are in the memory of the process. */

import { argumentError, type Kind, object, text } from '../../../base/argument.js'
import { concatBytes } from '../../../base/concat-bytes.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { defineOptions, type OptionKinds } from '../../../base/options.js'
import { toHex } from '../../../base/to-hex.js'
import { decrypt, encrypt, nonceLength } from '../envelope/cipher.js'
import { encodeFields } from '../envelope/encoding.js'
import { randomBytes } from '../envelope/record-envelope.js'
import { encodeKeyContext, type KeyProvider, kekName } from './key-provider.js'

/** One key, or several keys and the name of the current one. You choose the names. They are not stored. */
export type LocalKeys =
  | {
      /** 32 bytes. */
      readonly key: Uint8Array
    }
  | {
      /** The current key and each older key that still wraps a secret, 32 bytes each, by name. */
      readonly keys: Readonly<Record<string, Uint8Array>>
      /** The name of the key that wraps from now on. */
      readonly keyId: string
    }

/** A copy of the bytes of a key. */
const keyBytes: Kind<Uint8Array> = (key, path) => {
  if (!(key instanceof Uint8Array)) throw argumentError(key, path, 'a Uint8Array of 32 bytes')
  if (key.length !== 32) throw new RangeError(`${path} must be a Uint8Array of 32 bytes`)
  // `slice` of a Buffer would share its memory.
  return new Uint8Array(key)
}

const oneKey = defineOptions({
  key: keyBytes,
} satisfies OptionKinds<Extract<LocalKeys, { readonly key: unknown }>>)

const severalKeys = defineOptions({
  keys: (keys, path) => {
    object()(keys, path)
    for (const name of Object.keys(keys)) kekName(name, `each key of ${path}`)
    return Object.fromEntries(
      Object.entries(keys).map(([name, key]) => [name, keyBytes(key, `each of ${path}`)]),
    )
  },
  keyId: text(),
} satisfies OptionKinds<Extract<LocalKeys, { readonly keyId: unknown }>>)

/**
 * Creates a key provider with local keys. The id of a key is a fingerprint of it, such as
 * `key-1f2e3d4c`, so two keys never have the same id, and a key has the same id in every process,
 * whatever its name is there. A wrapped secret is 24 bytes of random nonce, then the secret
 * encrypted with XChaCha20-Poly1305. The additional data is the encoded context. The keys are
 * copied, so you can overwrite yours.
 *
 * @throws TypeError if `options` is not an object, if a key is not a Uint8Array, or if a name does
 * not have 1 to 2,048 characters.
 * @throws RangeError if a key does not have 32 bytes, or if `keyId` is not in `keys`.
 * @example
 * ```ts
 * import { createEncryptedStore, createLocalKeyProvider, readKeyFile } from 'cofferkit/encrypted'
 * import { openSqliteStore } from 'cofferkit/sqlite'
 *
 * const keys = createLocalKeyProvider({ key: await readKeyFile('vault.key') })
 * const store = createEncryptedStore(await openSqliteStore('vault.db'), { keys })
 * ```
 */
export function createLocalKeyProvider(options: LocalKeys): KeyProvider {
  // Bytes and lists inherit a method `keys`.
  const isList = ['keys', 'keyId'].some((name) => Object.hasOwn(Object(options), name))
  const { keys, keyId } = isList
    ? severalKeys.read(options as Extract<LocalKeys, { readonly keyId: unknown }>)
    : { keys: { key: oneKey.read(options as { key: Uint8Array }).key }, keyId: 'key' }
  const currentKey = new Map(Object.entries(keys)).get(keyId)
  if (currentKey === undefined)
    throw new RangeError('options.keyId must be the name of one of the keys')
  const byId = new Map(Object.values(keys).map((key) => [toKekId(key), key]))
  return {
    currentKekId: toKekId(currentKey),
    kekIds: [...byId.keys()],
    async wrap(secret, context) {
      const nonce = randomBytes(nonceLength)
      const ciphertext = encrypt(currentKey, nonce, encodeKeyContext(context), secret)
      return concatBytes([nonce, ciphertext])
    },
    async unwrap(kekId, wrapped, context) {
      const key = byId.get(kekId)
      if (key === undefined) throw undecryptableError()
      const nonce = wrapped.subarray(0, nonceLength)
      return decrypt(key, nonce, encodeKeyContext(context), wrapped.subarray(nonceLength))
    },
  }
}

/**
 * Returns the id of a key: `key-` and 8 hexadecimal digits, the first 4 bytes of the tag of
 * XChaCha20-Poly1305 over nothing, with a nonce of zeros. The additional data is the encoded field
 * `cofferkit key id`, which no other use of a KEK has.
 */
function toKekId(key: Uint8Array): string {
  const additional = encodeFields(['cofferkit key id'])
  const tag = encrypt(key, new Uint8Array(nonceLength), additional, new Uint8Array(0))
  return `key-${toHex(tag.subarray(0, 4))}`
}
