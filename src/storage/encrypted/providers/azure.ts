/** A key provider on Azure Key Vault or Azure Managed HSM. */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import {
  anyFunction,
  argumentError,
  callback,
  kindOf,
  like,
  list,
  oneOf,
  readArgument,
} from '../../../base/argument.js'
import { concatBytes } from '../../../base/concat-bytes.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { defineOptions, type OptionKinds, optional } from '../../../base/options.js'
import { safeGet } from '../../../base/safe-get.js'
import {
  assertKnownKek,
  encodeKeyContext,
  isKekId,
  type KeyContext,
  type KeyProvider,
} from './key-provider.js'

/** The parts of `CryptographyClient` from `@azure/keyvault-keys` used here. */
export interface AzureCryptographyClient {
  /** The id of the key for which the client was created. */
  readonly keyID: string | undefined
  /** wrapKey: wraps at most 190 bytes with an RSA key of 2,048 bits. */
  wrapKey(algorithm: AzureKeyAlgorithm, key: Uint8Array): Promise<{ readonly result: Uint8Array }>
  /**
   * unwrapKey: rejects with a RestError of status 400 if ciphertext and key do not belong together.
   */
  unwrapKey(
    algorithm: AzureKeyAlgorithm,
    encryptedKey: Uint8Array,
  ): Promise<{ readonly result: Uint8Array }>
}

const algorithms = ['RSA-OAEP-256', 'A256KW'] as const

/** `RSA-OAEP-256` for an RSA key, `A256KW` for an AES key of a Managed HSM. */
export type AzureKeyAlgorithm = (typeof algorithms)[number]

/** The keys of a provider on Azure. */
export interface AzureKeyOptions {
  /**
   * The key that wraps: its id with its version, because Azure unwraps only with the version that
   * wrapped.
   */
  readonly keyId: string
  /**
   * The ids, with versions, of former keys that may still wrap stored secrets. Default: none.
   */
  readonly formerKeyIds?: readonly string[] | undefined
  /** Returns the algorithm of a key. Default: `RSA-OAEP-256` for every key. */
  readonly algorithmOf?: ((keyId: string) => AzureKeyAlgorithm) | undefined
}

const versionedKeyId = /^https:\/\/[^/]+\/keys\/[^/]+\/[^/]+$/

const azureKeyId = kindOf<string>(
  'the id of a key with its version',
  (keyId) => isKekId(keyId) && versionedKeyId.test(keyId),
)

const keyOptions = defineOptions({
  keyId: azureKeyId,
  formerKeyIds: optional(list('a list of ids', azureKeyId), []),
  algorithmOf: optional(callback(), (_id: string): AzureKeyAlgorithm => 'RSA-OAEP-256'),
} satisfies OptionKinds<AzureKeyOptions>)

const anyAlgorithm = oneOf(...algorithms)

/** A client, with the algorithm of its key. */
interface AzureKey {
  readonly client: AzureCryptographyClient
  readonly algorithm: AzureKeyAlgorithm
}

/** Bytes of a SHA-256. */
const digestLength = 32

/**
 * Creates a key provider that wraps with one version of a key (Azure Key Vault REST API, wrapKey
 * and unwrapKey). `keyId` is stored in each key ring. If a stored id is neither `keyId` nor one
 * of `formerKeyIds`, unwrapping fails with a DecryptionError, and the id is never sent. wrapKey has
 * no additional data, so the context is wrapped together with the key: the SHA-256 of the encoded
 * context, then the key. If a key unwraps to another context, that fails with a DecryptionError.
 *
 * Anyone who has the public part of an RSA key can wrap with it, without asking Azure. If they can
 * also write to the key rings, they can make a starting process accept their own data key. If that
 * matters to you, use an AES key, or let no one else read the RSA key.
 *
 * @param clientOf - Returns the client for a key. It is called once with each id.
 * @throws TypeError if
 * - the id of a key has no version, or more than 2,048 characters
 * - `clientOf` is not a function, or returns anything but a client for this key
 * - `algorithmOf` returns neither of the two algorithms
 * - `options` is not an object
 * @example
 * ```ts
 * import { DefaultAzureCredential } from '@azure/identity'
 * import { CryptographyClient } from '@azure/keyvault-keys'
 * import { createAzureKeyProvider } from 'cofferkit/encrypted'
 *
 * const keyId = 'https://example.vault.azure.net/keys/vault/0123456789abcdef0123456789abcdef'
 * const credential = new DefaultAzureCredential()
 * const keys = createAzureKeyProvider((id) => new CryptographyClient(id, credential), { keyId })
 * ```
 */
export function createAzureKeyProvider(
  clientOf: (keyId: string) => AzureCryptographyClient,
  options: AzureKeyOptions,
): KeyProvider {
  readArgument(callback(), { clientOf, options })
  const { keyId, formerKeyIds, algorithmOf } = keyOptions.read(options)
  const toKey = (id: string): AzureKey => {
    const client = clientOf(id)
    const path = 'the result of clientOf'
    like({ wrapKey: anyFunction, unwrapKey: anyFunction })(client, path)
    if (client.keyID !== id)
      throw argumentError(client.keyID, `keyID of ${path}`, 'the id that it was called with')
    return { client, algorithm: anyAlgorithm(algorithmOf(id), 'the result of algorithmOf') }
  }
  const current = toKey(keyId)
  const former = formerKeyIds.map((id) => [id, toKey(id)] as const)
  const byId = new Map([...former, [keyId, current]])
  const kekIds = [...new Set([keyId, ...formerKeyIds])]
  return {
    currentKekId: keyId,
    kekIds,
    async wrap(key, context) {
      const bytes = concatBytes([await digestOf(context), key])
      const { result } = await current.client.wrapKey(current.algorithm, bytes)
      return result
    },
    async unwrap(kekId, wrapped, context) {
      assertKnownKek(kekIds, kekId)
      const { client, algorithm } = byId.get(kekId) ?? current
      const { result } = await client.unwrapKey(algorithm, wrapped).catch(rethrow)
      const digest = result.subarray(0, digestLength)
      if (!areBytesEqual(digest, await digestOf(context))) throw undecryptableError()
      return result.subarray(digestLength)
    },
  }
}

async function digestOf(context: KeyContext): Promise<Uint8Array> {
  const bytes = new Uint8Array(encodeKeyContext(context))
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** Throws a DecryptionError if ciphertext and key do not belong together. */
function rethrow(error: unknown): never {
  throw safeGet(error, 'statusCode') === 400 ? undecryptableError() : error
}
