/** Restricts a database file, and the files of its journals, to their owner. */

import { chmodSync, closeSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { redactError } from '../../base/redact-error.js'
import { safeGet } from '../../base/safe-get.js'
import { StorageError } from '../../errors.js'
import { ifPermitted, isOwnFile } from '../file-owner.js'

const ownerOnly = 0o600
/** As many symbolic links as Linux follows. */
const maxLinks = 40

/**
 * Returns the file that an absolute path refers to, through all symbolic links. Neither the file
 * nor the target of the last link needs to exist, because SQLite creates the file. It puts the
 * files of its write-ahead log next to the file, not next to the link. Returns the path unchanged
 * if Deno was started without the permission to read its directory.
 * @throws StorageError (`STORAGE_FAILED`) if there are more than 40 links, or if a directory, which
 * the error names, does not exist.
 */
export function resolveDatabaseFile(path: string): string {
  return ifPermitted(() => followLinks(path)) ?? path
}

function followLinks(path: string): string {
  let current = path
  for (let links = 0; links <= maxLinks; links++) {
    const file = join(resolveFolder(dirname(current)), basename(current))
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file
    const target = readlinkSync(file)
    // Not joined, because that would resolve `..` before the links in front of it.
    current = isAbsolute(target) ? target : `${dirname(file)}/${target}`
  }
  throw new StorageError('the path of the database has too many symbolic links')
}

function resolveFolder(path: string): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (safeGet(error, 'code') !== 'ENOENT') throw error
    throw new StorageError(`the folder of the database does not exist: ${path}`)
  }
}

/**
 * Creates the file with mode 0600 if it does not exist, and sets mode 0600 on it and on the files
 * of its journals (`-wal`, `-shm`, `-journal`) if group or others have any permission. SQLite gives
 * the journals the permissions of the database. An existing file is never opened here, because
 * closing it would release the locks that another connection of this process holds on it.
 * @throws StorageError (`STORAGE_FAILED`) if the permissions cannot be changed, or if one of the
 * files belongs to another user, is a symbolic link or is not a file. The error of the system is
 * thrown if the file cannot be created or examined.
 */
export function restrictPermissions(file: string): void {
  try {
    closeSync(openSync(file, 'wx', ownerOnly))
  } catch (error) {
    if (safeGet(error, 'code') !== 'EEXIST') throw error
  }
  for (const path of ['', '-wal', '-shm', '-journal'].map((suffix) => file + suffix)) {
    const stats = ifPermitted(() => lstatSync(path, { throwIfNoEntry: false }))
    if (stats === undefined) continue
    if (stats.isSymbolicLink())
      throw new StorageError('a file next to the database is a symbolic link')
    if (!stats.isFile()) throw new StorageError('the path of the database is not a file')
    if (!isOwnFile(stats)) throw new StorageError('a file of the database belongs to another user')
    if ((stats.mode & 0o077) !== 0) setOwnerOnly(path)
  }
}

function setOwnerOnly(path: string): void {
  try {
    chmodSync(path, ownerOnly)
  } catch (error) {
    const message = 'cannot change the mode of a file of the database: check its owner'
    throw new StorageError(message, { cause: redactError(error) })
  }
}
