/** Encrypts and decrypts exports in the format of age (https://age-encryption.org/v1). */

import { ReadableStream as WebStream } from 'node:stream/web'
import { CommandError } from './command-error.js'
import { readUserText } from './read-user-file.js'

/** Encrypts or decrypts chunks. */
export type Transform = (chunks: AsyncIterable<Uint8Array>) => Promise<AsyncIterable<Uint8Array>>

/**
 * Returns a function that encrypts, or undefined if neither a passphrase nor a recipient is given.
 * @throws CommandError if both are given, or if one is invalid.
 */
export async function createEncrypter(
  folder: string,
  options: { readonly passphraseFile?: string; readonly recipient?: string },
): Promise<Transform | undefined> {
  const { passphraseFile, recipient } = options
  if (passphraseFile === undefined && recipient === undefined) return undefined
  if (passphraseFile !== undefined && recipient !== undefined)
    throw new CommandError('--passphrase-file and --recipient exclude each other')
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  if (passphraseFile !== undefined)
    encrypter.setPassphrase(await readSecretLine(folder, passphraseFile))
  else
    checked('--recipient must be a public key of age, age1…', () =>
      encrypter.addRecipient(String(recipient)),
    )
  return (chunks) => encrypter.encrypt(toWebStream(chunks))
}

/**
 * Returns a function that decrypts, or undefined if neither a passphrase nor an identity is given.
 */
export async function createDecrypter(
  folder: string,
  options: { readonly passphraseFile?: string; readonly identityFile?: string },
): Promise<Transform | undefined> {
  const { passphraseFile, identityFile } = options
  if (passphraseFile === undefined && identityFile === undefined) return undefined
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  if (passphraseFile !== undefined)
    decrypter.addPassphrase(await readSecretLine(folder, passphraseFile))
  if (identityFile !== undefined) {
    const text = await readUserText(folder, identityFile)
    const keys = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'))
    checked(`${identityFile} must contain a secret key of age, AGE-SECRET-KEY-1…`, () => {
      if (keys.length === 0) throw new Error('no key')
      for (const key of keys) decrypter.addIdentity(key.trim())
    })
  }
  return async (chunks) => {
    try {
      return await decrypter.decrypt(toWebStream(chunks))
    } catch {
      throw new CommandError('the file cannot be decrypted: wrong key, or not a file of age')
    }
  }
}

/** The library reads and returns web streams. */
function toWebStream(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return WebStream.from(chunks) as ReadableStream<Uint8Array>
}

async function readSecretLine(folder: string, path: string): Promise<string> {
  const text = (await readUserText(folder, path)).replace(/\r?\n$/, '')
  if (text === '') throw new CommandError(`${path} is empty`)
  return text
}

function checked(message: string, call: () => void): void {
  try {
    call()
  } catch {
    throw new CommandError(message)
  }
}
