/** A key provider on AWS KMS. */

import { anyFunction, like, list, readArgument } from '../../../base/argument.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { defineOptions, type OptionKinds, optional } from '../../../base/options.js'
import { safeGet } from '../../../base/safe-get.js'
import { assertKnownKek, type KeyContext, type KeyProvider, kekName } from './key-provider.js'

/** The parts of `KMS` from `@aws-sdk/client-kms` used here. */
export interface AwsKmsClient {
  /** KMS Encrypt: wraps at most 4,096 bytes. */
  encrypt(request: {
    KeyId: string
    Plaintext: Uint8Array
    EncryptionContext: Record<string, string>
  }): Promise<{ readonly CiphertextBlob?: Uint8Array | undefined }>
  /**
   * KMS Decrypt: rejects with InvalidCiphertextException or IncorrectKeyException if ciphertext,
   * key and context do not belong together.
   */
  decrypt(request: {
    KeyId: string
    CiphertextBlob: Uint8Array
    EncryptionContext: Record<string, string>
  }): Promise<{ readonly Plaintext?: Uint8Array | undefined }>
}

const decryptionFailures: readonly unknown[] = [
  'InvalidCiphertextException',
  'IncorrectKeyException',
]

/** The keys of a provider on AWS KMS. */
export interface AwsKeyOptions {
  /** The key that wraps: its ARN, or anything else that KMS accepts as KeyId. */
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
} satisfies OptionKinds<AwsKeyOptions>)

/**
 * Creates a key provider that wraps with a symmetric KMS key (AWS KMS API reference, Encrypt and
 * Decrypt). `keyId` is stored in each key ring. If a stored id is neither `keyId` nor one of
 * `formerKeyIds`, unwrapping fails with a DecryptionError, and the id is never sent. The context
 * becomes the EncryptionContext, which CloudTrail logs. If KMS itself rotates the key material, you
 * need not change anything here.
 * @throws TypeError if `client` has no functions `encrypt` and `decrypt`, `options` is not an
 * object, or the id of a key does not have 1 to 2,048 characters.
 * @example
 * ```ts
 * import { KMS } from '@aws-sdk/client-kms'
 * import { createAwsKeyProvider } from 'cofferkit/encrypted'
 *
 * const keyId = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'
 * const keys = createAwsKeyProvider(new KMS({ region: 'eu-central-1' }), { keyId })
 * ```
 */
export function createAwsKeyProvider(client: AwsKmsClient, options: AwsKeyOptions): KeyProvider {
  readArgument(like({ encrypt: anyFunction, decrypt: anyFunction }), { client, options })
  const { keyId, formerKeyIds } = keyOptions.read(options)
  const kekIds = [...new Set([keyId, ...formerKeyIds])]
  return {
    currentKekId: keyId,
    kekIds,
    async wrap(key, context) {
      const EncryptionContext = toEncryptionContext(context)
      const request = { KeyId: keyId, Plaintext: key, EncryptionContext }
      const { CiphertextBlob } = await client.encrypt(request)
      return requireBytes(CiphertextBlob)
    },
    async unwrap(kekId, wrapped, context) {
      assertKnownKek(kekIds, kekId)
      const EncryptionContext = toEncryptionContext(context)
      const request = { KeyId: kekId, CiphertextBlob: wrapped, EncryptionContext }
      const { Plaintext } = await client.decrypt(request).catch(rethrow)
      return requireBytes(Plaintext)
    },
  }
}

function toEncryptionContext({ purpose, scope }: KeyContext): Record<string, string> {
  return { purpose, scope }
}

function requireBytes(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new Error('AWS KMS returned no bytes')
  return bytes
}

/** Throws a DecryptionError if ciphertext, key and context do not belong together. */
function rethrow(error: unknown): never {
  throw decryptionFailures.includes(safeGet(error, 'name')) ? undecryptableError() : error
}
