/** Files that belong to another user. */

import { chownSync } from 'node:fs'
import { onTestFinished, vi } from 'vitest'

/** Gives the file to another user; without the right to do so, the process takes itself for another user instead. */
export function asAnotherUsers(path: string): void {
  const user = process.geteuid?.() ?? 0
  if (user === 0) {
    chownSync(path, 12_345, 12_345)
    return
  }
  const spy = vi.spyOn(process as { geteuid(): number }, 'geteuid').mockReturnValue(user + 1)
  onTestFinished(() => void spy.mockRestore())
}
