/**
 * A local AWS KMS: Encrypt and Decrypt of its API reference, with real AES-256-GCM and no network.
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { AwsKmsClient } from '../../../src/storage/encrypted.js'

/** The methods of the SDK client `KMS`, and its keys. */
export interface LocalAwsKms extends AwsKmsClient {
  readonly requests: Record<string, unknown>[]
}

/** Errors of the SDK have the name of the exception. */
function exception(name: string): Error {
  return Object.assign(new Error(`${name}: a message that quotes the request`), { name })
}

/**
 * Encrypt accepts at most 4,096 bytes. A ciphertext contains its key id. The encryption context
 * must be equal, in any order.
 */
export function createLocalAwsKms(...keyIds: readonly string[]): LocalAwsKms {
  const keys = new Map(keyIds.map((keyId) => [keyId, randomBytes(32)]))
  const requests: Record<string, unknown>[] = []

  const look = (request: Record<string, unknown>, members: readonly string[]): Buffer => {
    requests.push(request)
    if (Object.keys(request).some((member) => !members.includes(member)))
      throw exception('ValidationException')
    const key = keys.get(String(request['KeyId']))
    if (key === undefined) throw exception('NotFoundException')
    return key
  }
  return {
    requests,
    async encrypt(request) {
      const key = look(request, ['KeyId', 'Plaintext', 'EncryptionContext'])
      if (request.Plaintext.length < 1 || request.Plaintext.length > 4096)
        throw exception('ValidationException')
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      cipher.setAAD(canonical(request.EncryptionContext))
      const sealed = [cipher.update(request.Plaintext), cipher.final()]
      const name = Buffer.from(request.KeyId)
      const parts = [Buffer.of(name.length), name, nonce, cipher.getAuthTag(), ...sealed]
      return { CiphertextBlob: new Uint8Array(Buffer.concat(parts)) }
    },
    async decrypt(request) {
      const key = look(request, ['KeyId', 'CiphertextBlob', 'EncryptionContext'])
      const blob = Buffer.from(request.CiphertextBlob)
      const start = 1 + (blob[0] ?? 0)
      const name = blob.subarray(1, start).toString()
      if (blob.length < start + 28 || !keys.has(name)) throw exception('InvalidCiphertextException')
      if (name !== request.KeyId) throw exception('IncorrectKeyException')
      try {
        const cipher = createDecipheriv('aes-256-gcm', key, blob.subarray(start, start + 12))
        cipher.setAAD(canonical(request.EncryptionContext))
        cipher.setAuthTag(blob.subarray(start + 12, start + 28))
        const opened = [cipher.update(blob.subarray(start + 28)), cipher.final()]
        return { Plaintext: new Uint8Array(Buffer.concat(opened)) }
      } catch {
        throw exception('InvalidCiphertextException')
      }
    },
  }
}

function canonical(context: Record<string, string>): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).sort()))
}
