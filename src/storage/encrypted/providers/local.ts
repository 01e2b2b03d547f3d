/** A key provider whose KEKs are in the memory of the process. */

import { argumentError, type Kind, object, text } from '../../../base/argument.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { defineOptions, type OptionKinds } from '../../../base/options.js'
import { decrypt, encrypt, nonceLength } from '../envelope/cipher.js'
import { randomBytes } from '../envelope/record-envelope.js'
import { encodeKeyContext, type KeyContext, type KeyProvider, kekName } from './key-provider.js'

/** One key, or several keys and the id of the current one. */
export type LocalKeys =
  | {
      /** 32 bytes. Its id is `local`. */
      readonly key: Uint8Array
    }
  | {
      /** The current key and each former key that still wraps a data key, 32 bytes each, by id. */
      readonly keys: Readonly<Record<string, Uint8Array>>
      /** The id of the key that wraps data keys from now on. You choose the ids. */
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
 * Creates a key provider with local keys. A wrapped key is 24 bytes of random nonce, then the key
 * encrypted with XChaCha20-Poly1305. The additional data is the encoded context. The keys are
 * copied, so you can overwrite yours.
 *
 * @throws TypeError if `options` is not an object, if a key is not a Uint8Array, or if an id does
 * not have 1 to 2,048 characters.
 * @throws RangeError if a key does not have 32 bytes, or if `keyId` is not in `keys`.
 * @example
 * ```ts
 * import { createEncryptedStore, createLocalKeyProvider, readKeyFile } from 'cofferkit/encrypted'
 *
 * const keys = createLocalKeyProvider({ key: await readKeyFile('vault.key') })
 * const store = createEncryptedStore(inner, { keys })
 * ```
 */
export function createLocalKeyProvider(options: LocalKeys): KeyProvider {
  // Bytes and lists inherit a method `keys`.
  const isList = ['keys', 'keyId'].some((name) => Object.hasOwn(Object(options), name))
  const { keys, keyId } = isList
    ? severalKeys.read(options as Extract<LocalKeys, { readonly keyId: unknown }>)
    : { keys: { local: oneKey.read(options as { key: Uint8Array }).key }, keyId: 'local' }
  const byId = new Map(Object.entries(keys))
  const currentKey = byId.get(keyId)
  if (currentKey === undefined)
    throw new RangeError('options.keyId must be the id of one of the keys')
  return {
    currentKekId: keyId,
    kekIds: [...byId.keys()],
    async wrap(key, context) {
      const nonce = randomBytes(nonceLength)
      const ciphertext = encrypt(currentKey, nonce, encodeKeyContext(context), key)
      const wrapped = new Uint8Array(nonceLength + ciphertext.length)
      wrapped.set(nonce)
      wrapped.set(ciphertext, nonceLength)
      return wrapped
    },
    async unwrap(kekId, wrapped, context) {
      const key = byId.get(kekId)
      if (key === undefined) throw undecryptableError()
      return decryptKey(key, wrapped, context)
    },
  }
}

function decryptKey(key: Uint8Array, wrapped: Uint8Array, context: KeyContext): Uint8Array {
  const nonce = wrapped.subarray(0, nonceLength)
  return decrypt(key, nonce, encodeKeyContext(context), wrapped.subarray(nonceLength))
}
