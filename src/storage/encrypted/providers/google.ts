/** A key provider on Google Cloud KMS. */

import { anyFunction, like, list, readArgument } from '../../../base/argument.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { defineOptions, type OptionKinds, optional } from '../../../base/options.js'
import { safeGet } from '../../../base/safe-get.js'
import { fromBase64 } from '../envelope/encoding.js'
import { assertKnownKek, encodeKeyContext, type KeyProvider, kekName } from './key-provider.js'

/**
 * The parts of `KeyManagementServiceClient` from `@google-cloud/kms` used here. Over REST, it
 * returns bytes in base64.
 */
export interface GoogleKmsClient {
  /** cryptoKeys.encrypt: wraps with the primary version of the key. */
  encrypt(request: {
    name: string
    plaintext: Uint8Array
    additionalAuthenticatedData: Uint8Array
  }): Promise<readonly [{ readonly ciphertext?: Uint8Array | string | null }, ...unknown[]]>
  /**
   * cryptoKeys.decrypt: rejects with INVALID_ARGUMENT if ciphertext, key and additional data do not
   * belong together.
   */
  decrypt(request: {
    name: string
    ciphertext: Uint8Array
    additionalAuthenticatedData: Uint8Array
  }): Promise<readonly [{ readonly plaintext?: Uint8Array | string | null }, ...unknown[]]>
}

/** google.rpc.Code.INVALID_ARGUMENT. */
const invalidArgument = 3

/** The keys of a provider on Cloud KMS. */
export interface GoogleKeyOptions {
  /** The key `projects/.../cryptoKeys/...`, whose primary version wraps, or one of its versions. */
  readonly keyId: string
  /**
   * The ids of former keys that may still wrap stored secrets, in the form that they had then.
   * Default: none.
   */
  readonly formerKeyIds?: readonly string[] | undefined
}

const keyOptions = defineOptions({
  keyId: kekName,
  formerKeyIds: optional(list('a list of ids', kekName), []),
} satisfies OptionKinds<GoogleKeyOptions>)

/**
 * Creates a key provider that wraps with a symmetric key of Cloud KMS (cryptoKeys.encrypt and
 * cryptoKeys.decrypt). `keyId` is stored in each key ring. If a stored id is neither `keyId`
 * nor one of `formerKeyIds`, unwrapping fails with a DecryptionError, and the id is never sent.
 * The context is the additional authenticated data. CRC32C fields are not sent, because a wrapped
 * key is unwrapped again and compared before it is used.
 * @throws TypeError if `client` has no functions `encrypt` and `decrypt`, `options` is not an
 * object, or the id of a key does not have 1 to 2,048 characters.
 * @example
 * ```ts
 * import { KeyManagementServiceClient } from '@google-cloud/kms'
 * import { createGoogleKeyProvider } from 'cofferkit/encrypted'
 *
 * const keys = createGoogleKeyProvider(new KeyManagementServiceClient(), {
 *   keyId: 'projects/example/locations/europe-west3/keyRings/app/cryptoKeys/vault',
 * })
 * ```
 */
export function createGoogleKeyProvider(
  client: GoogleKmsClient,
  options: GoogleKeyOptions,
): KeyProvider {
  readArgument(like({ encrypt: anyFunction, decrypt: anyFunction }), { client, options })
  const { keyId, formerKeyIds } = keyOptions.read(options)
  const kekIds = [...new Set([keyId, ...formerKeyIds])]
  return {
    currentKekId: keyId,
    kekIds,
    async wrap(key, context) {
      const additionalAuthenticatedData = encodeKeyContext(context)
      const request = { name: keyId, plaintext: key, additionalAuthenticatedData }
      const [{ ciphertext }] = await client.encrypt(request)
      return requireBytes(ciphertext)
    },
    async unwrap(kekId, wrapped, context) {
      assertKnownKek(kekIds, kekId)
      const additionalAuthenticatedData = encodeKeyContext(context)
      const cryptoKey = kekId.replace(/\/cryptoKeyVersions\/[^/]*$/, '')
      const request = { name: cryptoKey, ciphertext: wrapped, additionalAuthenticatedData }
      const [{ plaintext }] = await client.decrypt(request).catch(rethrow)
      return requireBytes(plaintext)
    },
  }
}

function requireBytes(bytes: Uint8Array | string | null | undefined): Uint8Array {
  if (typeof bytes === 'string') return fromBase64(bytes)
  if (!bytes) throw new Error('Cloud KMS returned no bytes')
  return bytes
}

/** Throws a DecryptionError if ciphertext, key and additional data do not belong together. */
function rethrow(error: unknown): never {
  throw safeGet(error, 'code') === invalidArgument ? undecryptableError() : error
}
