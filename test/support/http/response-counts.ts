/** Prints how many responses the strict client checked and rejected, at the end of a run. */

import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface TaskMeta {
    /** The number of responses that were checked in a test file, and how many were rejected. */
    responses?: { readonly read: number; readonly rejected: number }
  }
}

/**
 * Runs before all tests. Returns the function that runs after them; it prints nothing if no
 * response was checked.
 */
export function setup({ vitest }: TestProject): () => void {
  return () => {
    const all = vitest.state.getFiles().flatMap(({ meta }) => meta.responses ?? [])
    const read = all.reduce((sum, responses) => sum + responses.read, 0)
    const rejected = all.reduce((sum, responses) => sum + responses.rejected, 0)
    if (read === 0) return
    process.stdout.write(
      `   Responses  ${read} checked by the strict client, ${rejected} rejected\n`,
    )
  }
}
