/** Reads and creates key files that only their owner can read. */

import { notEmpty } from '../../../base/argument.js'
import { redactError } from '../../../base/redact-error.js'
import { toHex } from '../../../base/to-hex.js'
import { StorageError } from '../../../errors.js'
import { isOwnFile, isWorldWritableFolder } from '../../file-owner.js'

const keyLength = 32
const groupAndOthersBits = 0o077

/**
 * Reads a key file: 32 bytes, or 64 hexadecimal digits with or without a line break at the end.
 * Requires Node, Bun or Deno. On Windows, owners and modes are not checked, because they have no
 * meaning there.
 *
 * @returns The 32 bytes of the key.
 * @throws StorageError (`STORAGE_FAILED`), whose message names the path, if the file
 * - does not exist or cannot be read
 * - contains anything else
 * - belongs to a different user than the process, even if that user is root
 * - can be read, written or executed by its group or others
 * - is in a folder that others can write to, unless the folder is sticky
 *
 * @throws TypeError if `path` is not a string, or is empty.
 */
export async function readKeyFile(path: string): Promise<Uint8Array> {
  notEmpty()(path, 'path')
  const bytes = await readPrivateFile(path)
  if (bytes.length === keyLength) return bytes
  const digits = new TextDecoder('latin1').decode(bytes)
  if (!/^[\da-f]{64}\r?\n?$/i.test(digits))
    throw new StorageError(`${nameOf(path)} must contain 32 bytes or 64 hexadecimal digits`)
  const pairs = digits.match(/[\da-f]{2}/gi) ?? []
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16))
}

/**
 * Creates a key file of mode 0600 with a new random key, in 64 hexadecimal digits. It resolves when
 * file and folder are synced, so that the key survives a power failure. On Windows only the file is
 * synced, because a folder cannot be opened there.
 *
 * @returns The 32 bytes of the key.
 * @throws StorageError (`STORAGE_FAILED`), whose message names the path, if
 * - the file already exists
 * - others can write to its folder, and the folder is not sticky (not checked on Windows)
 * - the file cannot be written or synced
 * @throws TypeError if `path` is not a string, or is empty.
 * @example
 * ```ts
 * import { createKeyFile, createLocalKeyProvider } from 'cofferkit/encrypted'
 *
 * const keys = createLocalKeyProvider({ key: await createKeyFile('vault.key') })
 * ```
 */
export async function createKeyFile(path: string): Promise<Uint8Array> {
  notEmpty()(path, 'path')
  const key = crypto.getRandomValues(new Uint8Array(keyLength))
  try {
    await assertSafeFolder(path)
    const file = await loadFileSystem().open(path, 'wx', 0o600)
    try {
      await file.writeFile(`${toHex(key)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    if (process.platform !== 'win32') await syncFolder(path)
  } catch (error) {
    if (error instanceof StorageError) throw error
    throw new StorageError(`${nameOf(path)} cannot be written`, { cause: redactError(error) })
  }
  return key
}

/** The sync of a new file does not cover its name, which is stored in its folder (fsync(2)). */
async function syncFolder(path: string): Promise<void> {
  const folder = await loadFileSystem().open(folderOf(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function assertSafeFolder(path: string): Promise<void> {
  if (isWorldWritableFolder(await loadFileSystem().stat(folderOf(path))))
    throw new StorageError(`others can write to the folder of ${nameOf(path)}, which is not sticky`)
}

/** Returns the path for a message. Hides it if it looks like a key that was passed by mistake. */
function nameOf(path: string): string {
  const isKey = /^(?:[\da-f]{64}|[\w+/-]{43}=?)\s*$/i.test(path)
  return isKey ? 'the key file (whose path looks like a key)' : `the key file ${path}`
}

function folderOf(path: string): string {
  return process.getBuiltinModule('node:path').dirname(path)
}

async function readPrivateFile(path: string): Promise<Uint8Array> {
  try {
    const file = await loadFileSystem().open(path, 'r')
    try {
      const stats = await file.stat()
      const { mode } = stats
      if (!isOwnFile(stats)) throw new StorageError(`${nameOf(path)} belongs to another user`)
      if (process.platform !== 'win32' && (mode & groupAndOthersBits) !== 0)
        throw new StorageError(
          `${nameOf(path)} must have mode 0600 or 0400: only its owner can read it`,
        )
      for (const location of [path, await loadFileSystem().realpath(path)])
        await assertSafeFolder(location)
      return new Uint8Array(await file.readFile())
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof StorageError) throw error
    const isMissing = Object(error).code === 'ENOENT'
    const reason = isMissing
      ? 'does not exist: for a new store, create it with keygen'
      : 'cannot be read'
    throw new StorageError(`${nameOf(path)} ${reason}`, { cause: redactError(error) })
  }
}

/** Loads the module by name when it is needed, so that bundlers for browsers do not look for it. */
function loadFileSystem(): typeof import('node:fs/promises') {
  return process.getBuiltinModule('node:fs/promises')
}
