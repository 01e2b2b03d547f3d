/**
 * Stand-ins for the clients in `@aws-sdk/client-kms`, `@azure/identity`, `@azure/keyvault-keys` and
 * `@google-cloud/kms`, with the keys that docs/kms.md names. The samples were also compiled
 * with the packages themselves, on 2026-11-28.
 */

import type {
  AwsKmsClient,
  AzureCryptographyClient,
  GoogleKmsClient,
} from '../../../src/storage/encrypted.js'
import { createLocalAwsKms } from '../../support/auth/kms-aws.js'
import { createLocalAzureClient } from '../../support/auth/kms-azure.js'
import { createLocalGoogleKms } from '../../support/auth/kms-google.js'

const awsKey = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'
const googleKey = 'projects/acme/locations/global/keyRings/vaults/cryptoKeys/cofferkit'

export class KMS implements AwsKmsClient {
  readonly #local = createLocalAwsKms(awsKey)
  readonly encrypt = this.#local.encrypt
  readonly decrypt = this.#local.decrypt
  readonly region: string
  constructor({ region }: { readonly region: string }) {
    this.region = region
  }
}

export class DefaultAzureCredential {}

export class CryptographyClient implements AzureCryptographyClient {
  readonly keyID: string
  readonly wrapKey: AzureCryptographyClient['wrapKey']
  readonly unwrapKey: AzureCryptographyClient['unwrapKey']
  constructor(keyId: string, _credential: DefaultAzureCredential) {
    const local = createLocalAzureClient(keyId)
    this.keyID = keyId
    this.wrapKey = local.wrapKey
    this.unwrapKey = local.unwrapKey
  }
}

export class KeyManagementServiceClient implements GoogleKmsClient {
  readonly #local = createLocalGoogleKms(googleKey)
  readonly encrypt = this.#local.encrypt
  readonly decrypt = this.#local.decrypt
}
