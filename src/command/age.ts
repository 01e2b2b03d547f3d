/** Encrypts and decrypts exports in the format of age (https://age-encryption.org/v1). */

import { CommandError } from './command-error.js'
import { readUserFile } from './read-user-file.js'

/** Encrypts or decrypts a stream. */
export type Transform = (
  stream: import('node:stream/web').ReadableStream,
) => Promise<import('node:stream/web').ReadableStream>

/**
 * Returns a function that encrypts; undefined if neither a passphrase nor a recipient is given.
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
  return (stream) =>
    encrypter.encrypt(stream as ReadableStream<Uint8Array>) as ReturnType<Transform>
}

/** Returns a function that decrypts; undefined if neither a passphrase nor an identity is given. */
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
    const text = (await readUserFile(folder, identityFile)).toString('utf8')
    const keys = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'))
    checked(`${identityFile} must contain a secret key of age, AGE-SECRET-KEY-1…`, () => {
      if (keys.length === 0) throw new Error('no key')
      for (const key of keys) decrypter.addIdentity(key.trim())
    })
  }
  return async (stream) => {
    try {
      return (await decrypter.decrypt(stream as ReadableStream<Uint8Array>)) as Awaited<
        ReturnType<Transform>
      >
    } catch {
      throw new CommandError('the file cannot be decrypted: wrong key, or not a file of age')
    }
  }
}

async function readSecretLine(folder: string, path: string): Promise<string> {
  const text = (await readUserFile(folder, path)).toString('utf8').replace(/\r?\n$/, '')
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
