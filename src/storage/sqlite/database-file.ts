/** Makes a database's file, and those beside it, its owner's alone. */

import { chmodSync, closeSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { StorageError } from '../../errors.js'
import { redactError } from '../../redact-error.js'
import { safeGet } from '../../safe-get.js'
import { isOwnFile, whereAllowed } from '../file-owner.js'

const ownerOnly = 0o600
/** As many as Linux follows. */
const maxLinks = 40

/**
 * The file that the absolute path leads to, through every symbolic link. Neither the file nor the target of the last
 * link has to exist; SQLite creates it, and the files of its write-ahead log beside it, not beside the link. The path
 * itself where Deno may not read its directory.
 * @throws StorageError if there are too many links, and the error of the system if a directory does not exist.
 */
export function fileBehind(path: string): string {
  return whereAllowed(() => followLinks(path)) ?? path
}

function followLinks(path: string): string {
  let ref = path
  for (let links = 0; links <= maxLinks; links++) {
    const file = join(realpathSync.native(dirname(ref)), basename(ref))
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file
    const target = readlinkSync(file)
    // Not joined: that would resolve `..` before the links in front of it.
    ref = isAbsolute(target) ? target : `${dirname(file)}/${target}`
  }
  throw new StorageError('the path of the database leads through too many links')
}

/**
 * Creates the file if it does not exist, and removes the rights of all others from it and from the files of its
 * journals, which SQLite gives the rights of the database. An existing file is never opened here: closing it
 * would end the locks that another connection of this process holds on it.
 * @throws StorageError if the rights cannot be removed, or if one of the files belongs to another user, is a symbolic
 * link or is not a file.
 */
export function restrictPermissions(file: string): void {
  try {
    closeSync(openSync(file, 'wx', ownerOnly))
  } catch (error) {
    if (safeGet(error, 'code') !== 'EEXIST') throw error
  }
  for (const path of ['', '-wal', '-shm', '-journal'].map((ending) => file + ending)) {
    const stats = whereAllowed(() => lstatSync(path, { throwIfNoEntry: false }))
    if (stats === undefined) continue
    if (stats.isSymbolicLink())
      throw new StorageError('a file beside the database is a symbolic link')
    if (!stats.isFile()) throw new StorageError('the path of the database is not that of a file')
    if (!isOwnFile(stats)) throw new StorageError('a file of the database is another user’s')
    if ((stats.mode & 0o077) !== 0) removeRights(path)
  }
}

function removeRights(path: string): void {
  try {
    chmodSync(path, ownerOnly)
  } catch (error) {
    const message = 'the file of the database cannot be kept from others: is it another user’s?'
    throw new StorageError(message, { cause: redactError(error) })
  }
}
