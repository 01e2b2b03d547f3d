/** Files of another user. */

import { chownSync } from 'node:fs'
import { onTestFinished, vi } from 'vitest'

/**
 * Changes the owner of a file; without the permission to do so, changes the user id that the
 * process reports.
 */
export function giveToAnotherUser(path: string): void {
  const user = process.geteuid?.() ?? 0
  if (user === 0) {
    chownSync(path, 12_345, 12_345)
    return
  }
  const spy = vi.spyOn(process as { geteuid(): number }, 'geteuid').mockReturnValue(user + 1)
  onTestFinished(() => void spy.mockRestore())
}
