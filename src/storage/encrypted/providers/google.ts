/** A key provider on Google Cloud KMS. */

import { DecryptionError } from '../../../errors.js'
import { safeGet } from '../../../safe-get.js'
import { fromBase64 } from '../envelope/encoding.js'
import { checkKekId, encodeKeyContext, type KeyProvider, kekIdsOf } from './key-provider.js'

/** What is used of `KeyManagementServiceClient` of `@google-cloud/kms`. Bytes are answered in base64 where it speaks REST. */
export interface GoogleKmsClient {
  /** cryptoKeys.encrypt: wraps with the primary version of the key. */
  encrypt(request: {
    name: string
    plaintext: Uint8Array
    additionalAuthenticatedData: Uint8Array
  }): Promise<readonly [{ readonly ciphertext?: Uint8Array | string | null }, ...unknown[]]>
  /** cryptoKeys.decrypt: rejects with INVALID_ARGUMENT for what it did not wrap so. */
  decrypt(request: {
    name: string
    ciphertext: Uint8Array
    additionalAuthenticatedData: Uint8Array
  }): Promise<readonly [{ readonly plaintext?: Uint8Array | string | null }, ...unknown[]]>
}

/** google.rpc.Code.INVALID_ARGUMENT: the ciphertext, the key or the additional data is not the right one. */
const invalidArgument = 3

/** The keys of a provider on Cloud KMS. */
export interface GoogleKeyOptions {
  /** `projects/.../cryptoKeys/...`, of which the primary version wraps, or a version of it. */
  readonly name: string
  /** Keys that data keys may still be wrapped with, as they were named when they wrapped; none if absent. */
  readonly formerNames?: readonly string[]
}

/**
 * Wraps with a symmetric key of Cloud KMS (cryptoKeys.encrypt and cryptoKeys.decrypt). `name` is stored beside each
 * data key; a stored name that is neither `name` nor one of `formerNames` is a DecryptionError and is never sent. The
 * context is the additional authenticated data. CRC32C fields are not sent: what was wrapped is unwrapped again and
 * compared before it is used.
 * @throws RangeError if a key's name does not have 1 to 2,048 characters.
 */
export function createGoogleKeyProvider(
  client: GoogleKmsClient,
  { name, formerNames = [] }: GoogleKeyOptions,
): KeyProvider {
  const kekIds = kekIdsOf({ name, formerNames })
  return {
    currentKekId: name,
    kekIds,
    async wrap(key, context) {
      const additionalAuthenticatedData = encodeKeyContext(context)
      const request = { name, plaintext: key, additionalAuthenticatedData }
      const [{ ciphertext }] = await client.encrypt(request)
      return bytesOf(ciphertext)
    },
    async unwrap(kekId, wrapped, context) {
      checkKekId(kekIds, kekId)
      const additionalAuthenticatedData = encodeKeyContext(context)
      const cryptoKey = kekId.replace(/\/cryptoKeyVersions\/[^/]*$/, '')
      const request = { name: cryptoKey, ciphertext: wrapped, additionalAuthenticatedData }
      const [{ plaintext }] = await client.decrypt(request).catch(refused)
      return bytesOf(plaintext)
    },
  }
}

function bytesOf(bytes: Uint8Array | string | null | undefined): Uint8Array {
  if (typeof bytes === 'string') return fromBase64(bytes)
  if (!bytes) throw new Error('Cloud KMS has answered nothing')
  return bytes
}

function refused(error: unknown): never {
  throw safeGet(error, 'code') === invalidArgument ? new DecryptionError() : error
}
