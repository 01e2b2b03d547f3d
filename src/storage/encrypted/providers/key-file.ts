/** Keys that lie in a file which only its owner may read. */

import { StorageError } from '../../../errors.js'
import { redactError } from '../../../redact-error.js'
import { isOpenFolder, isOwnFile } from '../../file-owner.js'

const keyLength = 32
const groupAndOthers = 0o077

/**
 * The 32 bytes of a key file: as they are, or as 64 hexadecimal digits that a line break may follow. Needs Node, Bun or
 * Deno. On Windows owner and modes are not looked at, because they say nothing there.
 * @throws StorageError if the file cannot be read, if it belongs to another user than the one that the process runs as,
 * also where that is root, if its group or others have any right to it, if others can write to its folder, unless that
 * is sticky, or if it holds something else.
 */
export async function readKeyFile(path: string): Promise<Uint8Array> {
  const bytes = await readPrivately(path)
  if (bytes.length === keyLength) return bytes
  const text = new TextDecoder('latin1').decode(bytes)
  if (!/^[\da-f]{64}\r?\n?$/i.test(text))
    throw new StorageError('a key file must hold 32 bytes, or 64 hexadecimal digits')
  const pairs = text.match(/[\da-f]{2}/gi) ?? []
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16))
}

/**
 * Writes a new random key to a file of mode 0600, in hexadecimal digits, and answers its 32 bytes. File and folder are
 * synced before, so that the key outlives a failure of the power (on Windows only the file, because a folder cannot be
 * opened there).
 * @throws StorageError if there is a file already, if others can write to its folder, unless that is sticky (not on
 * Windows), or if the file cannot be written or synced.
 */
export async function createKeyFile(path: string): Promise<Uint8Array> {
  const key = crypto.getRandomValues(new Uint8Array(keyLength))
  const digits = Array.from(key, (byte) => byte.toString(16).padStart(2, '0')).join('')
  try {
    await checkFolderOf(path)
    const file = await files().open(path, 'wx', 0o600)
    try {
      await file.writeFile(`${digits}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    if (process.platform !== 'win32') await syncFolderOf(path)
  } catch (error) {
    if (error instanceof StorageError) throw error
    throw new StorageError('the key file cannot be written', { cause: redactError(error) })
  }
  return key
}

/** The sync of a new file does not cover its name, which is stored in its folder (fsync(2)). */
async function syncFolderOf(path: string): Promise<void> {
  const folder = await files().open(process.getBuiltinModule('node:path').dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function checkFolderOf(path: string): Promise<void> {
  const folder = process.getBuiltinModule('node:path').dirname(path)
  if (isOpenFolder(await files().stat(folder)))
    throw new StorageError('others can write to the folder of the key file, which is not sticky')
}

async function readPrivately(path: string): Promise<Uint8Array> {
  try {
    const file = await files().open(path, 'r')
    try {
      const stats = await file.stat()
      const { mode } = stats
      if (!isOwnFile(stats)) throw new StorageError('the key file is another user’s')
      if (process.platform !== 'win32' && (mode & groupAndOthers) !== 0)
        throw new StorageError('a key file must have mode 0600: nobody but its owner may read it')
      for (const ref of [path, await files().realpath(path)]) await checkFolderOf(ref)
      return new Uint8Array(await file.readFile())
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof StorageError) throw error
    throw new StorageError('the key file cannot be read', { cause: redactError(error) })
  }
}

/** Asked for by name when it is needed, so that bundlers for browsers do not look for it. */
function files(): typeof import('node:fs/promises') {
  return process.getBuiltinModule('node:fs/promises')
}
