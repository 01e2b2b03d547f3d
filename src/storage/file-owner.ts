/** Checks who can change a file or a folder. On Windows nothing is checked. */

import { safeGet } from '../base/safe-get.js'

/** In a sticky folder, others can write, but cannot rename or remove the files of another user. */
const stickyAndOthersWrite = 0o1002
const othersWrite = 0o002

/**
 * Returns true if the file belongs to the process's user, or if the platform has no user ids or
 * does not let the process read its own.
 */
export function isOwnFile({ uid }: { readonly uid: number }): boolean {
  const user = ifPermitted(() => process.geteuid?.())
  return user === undefined || user === uid
}

/**
 * Returns the result of `read`, or undefined if Deno was started without the permission that `read`
 * needs (`NotCapable`). Any other error of `read` is thrown unchanged.
 */
export function ifPermitted<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (safeGet(error, 'name') !== 'NotCapable') throw error
    return undefined
  }
}

/**
 * Returns true if any user can remove or replace the files in the folder, because others can write
 * to it and it is not sticky. Always false on Windows.
 */
export function isWorldWritableFolder({ mode }: { readonly mode: number }): boolean {
  return process.platform !== 'win32' && (mode & stickyAndOthersWrite) === othersWrite
}
