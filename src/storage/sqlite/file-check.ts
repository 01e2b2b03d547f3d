/** Detects that the files of an open database were deleted or replaced. */

import { statSync } from 'node:fs'
import { StorageError } from '../../errors.js'
import { ifPermitted } from '../file-owner.js'

/** How long the result of a check is used, in milliseconds, so that most calls cost nothing. */
const maxAgeMs = 100

/**
 * Returns a function that throws as soon as one of the files that are at these paths now was
 * deleted, moved or replaced by another file. SQLite itself does not notice. It goes on reading and
 * writing the file that it has opened, which no other process finds and which is gone when the
 * process ends. From then on the function always throws, even if the file comes back, because
 * another process may have used its `-wal` meanwhile.
 *
 * A path without a file is not checked, and no path is checked if Deno was started without the
 * permission to read it. On a file system that does not number its files, only their existence is
 * checked.
 * @throws StorageError (`STORAGE_FAILED`), or the error of the system if the files cannot be
 * examined.
 */
export function createFileCheck(paths: readonly string[]): () => void {
  const files = paths.flatMap((path) => {
    const identity = identify(path)
    return identity === undefined ? [] : [{ path, identity }]
  })
  let checkedAt = performance.now()
  let isLost = false
  return () => {
    const now = performance.now()
    if (now - checkedAt >= maxAgeMs) {
      isLost ||= files.some(({ path, identity }) => identify(path) !== identity)
      checkedAt = now
    }
    if (isLost)
      throw new StorageError(
        'the file of the database was deleted or replaced: restart the process with the right file',
      )
  }
}

/** Returns what distinguishes a file from every other file that exists at the same time. */
function identify(path: string): string | undefined {
  const stats = ifPermitted(() => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return stats && `${stats.dev}:${stats.ino}`
}
