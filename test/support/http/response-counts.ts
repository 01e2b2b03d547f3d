/** Prints at the end of a run how many answers the strict client has read and rejected. */

import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface TaskMeta {
    /** How many answers were read in a file of tests, and how many of them were rejected. */
    answers?: { readonly read: number; readonly rejected: number }
  }
}

/** Runs before all tests. Returns what runs after them; it prints nothing if no answer was read. */
export function setup({ vitest }: TestProject): () => void {
  return () => {
    const all = vitest.state.getFiles().flatMap(({ meta }) => meta.answers ?? [])
    const read = all.reduce((sum, answers) => sum + answers.read, 0)
    const rejected = all.reduce((sum, answers) => sum + answers.rejected, 0)
    if (read === 0) return
    process.stdout.write(`     Answers  ${read} read by the strict client, ${rejected} rejected\n`)
  }
}
