/** A key provider on Azure Key Vault or Azure Managed HSM. */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import {
  anyFunction,
  argumentError,
  type Kind,
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

/** A former key that may still wrap stored data keys. */
export interface AzureKey {
  /** A client for the key, created like the one for the current key. */
  readonly client: AzureCryptographyClient
  /** Default: `RSA-OAEP-256`. */
  readonly algorithm?: AzureKeyAlgorithm
}

/** Options of `createAzureKeyProvider`. */
export interface AzureKeyOptions {
  /** Default: `RSA-OAEP-256`. */
  readonly algorithm?: AzureKeyAlgorithm
  /** Former keys and key versions that may still wrap stored data keys. Default: none. */
  readonly formerKeys?: readonly AzureKey[]
}

/** The id of a key with its version, because Azure unwraps only with the version that wrapped. */
const versionedKeyId = /^https:\/\/[^/]+\/keys\/[^/]+\/[^/]+$/

/** A client, with the id of its key. */
const keyClient: Kind<
  AzureCryptographyClient & { readonly keyID: string },
  AzureCryptographyClient
> = (client, path) => {
  like({ wrapKey: anyFunction, unwrapKey: anyFunction })(client, path)
  if (hasKeyId(client)) return client
  throw argumentError(client.keyID, `${path}.keyID`, 'the id of a key with its version')
}

function hasKeyId(
  client: AzureCryptographyClient,
): client is AzureCryptographyClient & { readonly keyID: string } {
  return isKekId(client.keyID) && versionedKeyId.test(client.keyID)
}

const algorithm = optional(oneOf(...algorithms), 'RSA-OAEP-256')

const formerKey = defineOptions({
  client: keyClient,
  algorithm,
} satisfies OptionKinds<AzureKey>)

const keyOptions = defineOptions({
  algorithm,
  formerKeys: optional(list('a list of keys', formerKey.read), []),
} satisfies OptionKinds<AzureKeyOptions>)

/** Bytes of a SHA-256. */
const digestLength = 32

/**
 * Creates a key provider that wraps with one version of a key (Azure Key Vault REST API, wrapKey
 * and unwrapKey). Its id is stored next to each data key. If a stored id does not belong to a
 * configured client, unwrapping fails with a DecryptionError, and the id is never sent. wrapKey has
 * no additional data, so the context is wrapped together with the key: the SHA-256 of the encoded
 * context, then the key. If a key unwraps to another context, that fails with a DecryptionError.
 *
 * Anyone who has the public part of an RSA key can wrap with it, without asking Azure. If they can
 * also write to the key rings, they can make a starting process accept their own data key. If that
 * matters to you, use an AES key, or let no one else read the RSA key.
 *
 * @throws TypeError if
 * - a client has no functions `wrapKey` and `unwrapKey`
 * - its `keyID` is not the id of a key with its version, of at most 2,048 characters
 * - `algorithm` is not one of the two, or `options` is not an object
 * @example
 * ```ts
 * import { DefaultAzureCredential } from '@azure/identity'
 * import { CryptographyClient } from '@azure/keyvault-keys'
 * import { createAzureKeyProvider } from 'cofferkit/encrypted'
 *
 * const keyId = 'https://example.vault.azure.net/keys/vault/0123456789abcdef0123456789abcdef'
 * const client = new CryptographyClient(keyId, new DefaultAzureCredential())
 * const keys = createAzureKeyProvider(client)
 * ```
 */
export function createAzureKeyProvider(
  client: AzureCryptographyClient,
  options: AzureKeyOptions = {},
): KeyProvider {
  const current = {
    client: readArgument(keyClient, { client, options }),
    ...keyOptions.read(options),
  }
  const byId = new Map(
    [...current.formerKeys, current].map((key) => [key.client.keyID, key] as const),
  )
  const currentKekId = current.client.keyID
  const kekIds = [...new Set([currentKekId, ...byId.keys()])]
  return {
    currentKekId,
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
