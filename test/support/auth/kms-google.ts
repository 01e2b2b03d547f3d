/**
 * A local Cloud KMS: cryptoKeys.encrypt and cryptoKeys.decrypt of its reference, with real
 * AES-256-GCM and no network.
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { GoogleKmsClient } from '../../../src/storage/encrypted.js'

/** The methods of `KeyManagementServiceClient`, and the requests it received. */
export interface LocalGoogleKms extends GoogleKmsClient {
  readonly requests: { readonly name: string }[]
  /** Adds a version of the key, which becomes the primary one. */
  rotate(): void
}

const versionPart = /\/cryptoKeyVersions\/(\d+)$/

/** Errors of gRPC have a code of google.rpc.Code. */
function status(code: number): Error {
  return Object.assign(new Error(`${code}: a message that quotes the request`), { code })
}

/**
 * Encrypt accepts a key, whose primary version encrypts, or one of its versions. Decrypt accepts
 * only a key. Plaintext and additional data have at most 64 KiB each.
 */
export function createLocalGoogleKms(cryptoKey: string, base64 = false): LocalGoogleKms {
  const versions = [randomBytes(32)]
  const requests: { name: string }[] = []
  const shaped = (bytes: Buffer): Uint8Array | string =>
    base64 ? bytes.toString('base64') : new Uint8Array(bytes)

  return {
    requests,
    rotate: () => {
      versions.push(randomBytes(32))
    },
    async encrypt({ name, plaintext, additionalAuthenticatedData }) {
      requests.push({ name })
      const version = Number(versionPart.exec(name)?.[1] ?? versions.length)
      const key = versions[version - 1]
      if (name.replace(versionPart, '') !== cryptoKey || key === undefined) throw status(5)
      if (plaintext.length > 65_536 || additionalAuthenticatedData.length > 65_536) throw status(3)
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      cipher.setAAD(additionalAuthenticatedData)
      const sealed = [cipher.update(plaintext), cipher.final()]
      const ciphertext = Buffer.concat([Buffer.of(version), nonce, ...sealed, cipher.getAuthTag()])
      const response = {
        name: `${cryptoKey}/cryptoKeyVersions/${version}`,
        ciphertext: shaped(ciphertext),
      }
      return [response, undefined, undefined]
    },
    async decrypt({ name, ciphertext, additionalAuthenticatedData }) {
      requests.push({ name })
      if (versionPart.test(name)) throw status(3)
      if (name !== cryptoKey) throw status(5)
      try {
        const bytes = Buffer.from(ciphertext)
        const key = versions[(bytes[0] ?? 0) - 1] ?? randomBytes(32)
        const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 13))
        cipher.setAAD(additionalAuthenticatedData)
        cipher.setAuthTag(bytes.subarray(-16))
        const opened = Buffer.concat([cipher.update(bytes.subarray(13, -16)), cipher.final()])
        return [{ plaintext: shaped(opened) }, undefined, undefined]
      } catch {
        throw status(3)
      }
    },
  }
}
