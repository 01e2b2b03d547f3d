/**
 * Local keys of Azure Key Vault and Managed HSM: wrapKey and unwrapKey of the REST API, with real
 * RSA-OAEP-256 and AES key wrap (RFC 3394) and no network.
 */

import {
  constants,
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'
import type { AzureCryptographyClient } from '../../../src/storage/encrypted.js'

/** Errors of the SDK have the status of the response and the code in its body. */
function restError(statusCode: number, code: string): Error {
  const message = `${code}: a message that quotes the request`
  return Object.assign(new Error(message), { name: 'RestError', statusCode, code })
}

const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
const wrapIv = Buffer.alloc(8, 0xa6)

/** A client of a key, and what it was called with. */
export interface LocalAzureClient extends AzureCryptographyClient {
  readonly requests: { readonly operation: string; readonly bytes: Uint8Array }[]
  /** Revokes or restores the permission to use the key. */
  setDenied(isDenied: boolean): void
}

/** A client of a key that accepts only this algorithm. */
export function createLocalAzureClient(
  keyId: string,
  accepted: 'RSA-OAEP-256' | 'A256KW' = 'RSA-OAEP-256',
): LocalAzureClient {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const aesKey = randomBytes(32)
  const requests: { operation: string; bytes: Uint8Array }[] = []
  let isDenied = false
  const call = async (operation: string, algorithm: string, bytes: Uint8Array) => {
    requests.push({ operation, bytes })
    if (isDenied) throw restError(403, 'Forbidden')
    if (algorithm !== accepted) throw restError(400, 'BadParameter')
    try {
      return { result: new Uint8Array(run(`${operation} ${algorithm}`, bytes)), keyID: keyId }
    } catch {
      throw restError(400, 'BadParameter')
    }
  }
  const run = (operation: string, bytes: Uint8Array): Buffer => {
    if (operation === 'wrap RSA-OAEP-256') return publicEncrypt({ key: publicKey, ...oaep }, bytes)
    if (operation === 'unwrap RSA-OAEP-256')
      return privateDecrypt({ key: privateKey, ...oaep }, bytes)
    const isWrap = operation === 'wrap A256KW'
    const cipher = (isWrap ? createCipheriv : createDecipheriv)('id-aes256-wrap', aesKey, wrapIv)
    return Buffer.concat([cipher.update(bytes), cipher.final()])
  }
  return {
    keyID: keyId,
    requests,
    setDenied(denied) {
      isDenied = denied
    },
    wrapKey: (algorithm, key) => call('wrap', algorithm, key),
    unwrapKey: (algorithm, encryptedKey) => call('unwrap', algorithm, encryptedKey),
  }
}
