/** Tells files and folders that other users can change from those that they cannot. Nothing is known on Windows. */

import { safeGet } from '../safe-get.js'

/** By a sticky folder, others can write but neither rename nor remove what is not theirs. */
const stickyAndOthersWrite = 0o1002
const othersWrite = 0o002

/** Whether the file belongs to the user that the process runs as; true where the platform has no such users. */
export function isOwnFile({ uid }: { readonly uid: number }): boolean {
  const user = whereAllowed(() => process.geteuid?.())
  return user === undefined || user === uid
}

/** The result of a look at the system; undefined where Deno was started without the permission for it. */
export function whereAllowed<Result>(look: () => Result): Result | undefined {
  try {
    return look()
  } catch (error) {
    if (safeGet(error, 'name') !== 'NotCapable') throw error
    return undefined
  }
}

/** Whether any user can remove or replace what is in the folder: others can write, and it is not sticky. */
export function isOpenFolder({ mode }: { readonly mode: number }): boolean {
  return process.platform !== 'win32' && (mode & stickyAndOthersWrite) === othersWrite
}
