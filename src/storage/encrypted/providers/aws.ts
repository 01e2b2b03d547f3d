/** A key provider on AWS KMS. */

import { DecryptionError } from '../../../errors.js'
import { safeGet } from '../../../safe-get.js'
import { checkKekId, type KeyContext, type KeyProvider, kekIdsOf } from './key-provider.js'

/** What is used of `KMS` of `@aws-sdk/client-kms`. */
export interface AwsKmsClient {
  /** KMS Encrypt: wraps at most 4,096 bytes. */
  encrypt(request: {
    KeyId: string
    Plaintext: Uint8Array
    EncryptionContext: Record<string, string>
  }): Promise<{ readonly CiphertextBlob?: Uint8Array | undefined }>
  /** KMS Decrypt: rejects with InvalidCiphertextException or IncorrectKeyException for what it did not wrap so. */
  decrypt(request: {
    KeyId: string
    CiphertextBlob: Uint8Array
    EncryptionContext: Record<string, string>
  }): Promise<{ readonly Plaintext?: Uint8Array | undefined }>
}

const refusals: readonly unknown[] = ['InvalidCiphertextException', 'IncorrectKeyException']

/** The keys of a provider on AWS KMS. */
export interface AwsKeyOptions {
  /** The key that wraps: its ARN, or what else KMS accepts as KeyId. */
  readonly keyId: string
  /** Keys that data keys may still be wrapped with, as they were named when they wrapped; none if absent. */
  readonly formerKeyIds?: readonly string[]
}

/**
 * Wraps with a symmetric KMS key (AWS KMS API reference, Encrypt and Decrypt). `keyId` is stored beside each data key; a
 * stored name that is neither `keyId` nor one of `formerKeyIds` is a DecryptionError and is never sent. The context is
 * the EncryptionContext, which CloudTrail writes down. KMS's own rotation of the key's material needs nothing here.
 * @throws RangeError if a key's name does not have 1 to 2,048 characters.
 */
export function createAwsKeyProvider(
  client: AwsKmsClient,
  { keyId, formerKeyIds = [] }: AwsKeyOptions,
): KeyProvider {
  const kekIds = kekIdsOf({ keyId, formerKeyIds })
  return {
    currentKekId: keyId,
    kekIds,
    async wrap(key, context) {
      const request = { KeyId: keyId, Plaintext: key, EncryptionContext: contextOf(context) }
      const { CiphertextBlob } = await client.encrypt(request)
      return bytesOf(CiphertextBlob)
    },
    async unwrap(kekId, wrapped, context) {
      checkKekId(kekIds, kekId)
      const EncryptionContext = contextOf(context)
      const request = { KeyId: kekId, CiphertextBlob: wrapped, EncryptionContext }
      const { Plaintext } = await client.decrypt(request).catch(refused)
      return bytesOf(Plaintext)
    },
  }
}

function contextOf({ purpose, scope, keyId }: KeyContext): Record<string, string> {
  return { purpose, scope, keyId }
}

function bytesOf(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new Error('AWS KMS has answered nothing')
  return bytes
}

/** KMS says so when ciphertext, key and context do not belong together. */
function refused(error: unknown): never {
  throw refusals.includes(safeGet(error, 'name')) ? new DecryptionError() : error
}
