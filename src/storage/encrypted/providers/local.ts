/** A key provider whose KEKs are in the memory of the process. */

import { assertKnown, assertOptions } from '../../../base/assert-argument.js'
import { DecryptionError } from '../../../errors.js'
import { decrypt, encrypt, nonceLength } from '../envelope/cipher.js'
import { randomBytes } from '../envelope/record-envelope.js'
import { encodeKeyContext, type KeyContext, type KeyProvider, parseKekIds } from './key-provider.js'

/** One key, or several keys of which one is the current one. */
export type LocalKeys =
  | {
      /** 32 bytes. Its name is `local`. */
      readonly key: Uint8Array
    }
  | {
      /** The current key and each older key that still wraps a data key, 32 bytes each, by name. */
      readonly keys: Readonly<Record<string, Uint8Array>>
      /** The name of the key that wraps data keys from now on. */
      readonly current: string
    }

/**
 * Creates a key provider with local keys. A wrapped key is 24 bytes of random nonce, then the key
 * encrypted with XChaCha20-Poly1305. The additional data is the encoded context. The keys are
 * copied, so the caller can overwrite theirs.
 *
 * @throws TypeError if `options` is not an object, or if a key is not a Uint8Array.
 * @throws RangeError if a key does not have 32 bytes, if `current` is not in `keys`, or if a name
 * does not have 1 to 2,048 characters.
 */
export function createLocalKeyProvider(options: LocalKeys): KeyProvider {
  assertOptions(options)
  assertKnown(options, 'key' in options ? { key: true } : { keys: true, current: true })
  const { keys, current } =
    'key' in options ? { keys: { local: options.key }, current: 'local' } : options
  const option = 'key' in options ? 'key must be' : 'each of keys must be'
  assertOptions(keys, 'options.keys')
  const byName = new Map(
    Object.entries(keys).map(([name, key]) => {
      if (!(key instanceof Uint8Array)) throw new TypeError(`${option} a Uint8Array`)
      // `slice` of a Buffer would share its memory.
      return [name, new Uint8Array(key)]
    }),
  )
  if ([...byName.values()].some(({ length }) => length !== 32))
    throw new RangeError('a key must have 32 bytes')
  const currentKey = byName.get(current)
  if (currentKey === undefined) throw new RangeError('current must be the name of one of the keys')
  return {
    currentKekId: current,
    kekIds: parseKekIds({ keys: [...byName.keys()] }),
    async wrap(key, context) {
      const nonce = randomBytes(nonceLength)
      const ciphertext = encrypt(currentKey, nonce, encodeKeyContext(context), key)
      const wrapped = new Uint8Array(nonceLength + ciphertext.length)
      wrapped.set(nonce)
      wrapped.set(ciphertext, nonceLength)
      return wrapped
    },
    async unwrap(kekId, wrapped, context) {
      const key = byName.get(kekId)
      if (key === undefined) throw new DecryptionError()
      return decryptKey(key, wrapped, context)
    },
  }
}

function decryptKey(key: Uint8Array, wrapped: Uint8Array, context: KeyContext): Uint8Array {
  const nonce = wrapped.subarray(0, nonceLength)
  return decrypt(key, nonce, encodeKeyContext(context), wrapped.subarray(nonceLength))
}
