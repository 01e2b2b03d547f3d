/** Says at the end of a run how many answers the strict client has read, and how many kinds of answers were among them. */

import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface TaskMeta {
    /** How often each answer was read in a file of tests, such as `getItem 200`. */
    checkedAnswers?: Readonly<Record<string, number>>
  }
}

/** Runs before all tests, and returns what runs after them. */
export function setup({ vitest }: TestProject): () => void {
  return () => {
    const counts = new Map<string, number>()
    for (const { meta } of vitest.state.getFiles())
      for (const [answer, count] of Object.entries(meta.checkedAnswers ?? {}))
        counts.set(answer, (counts.get(answer) ?? 0) + count)
    if (counts.size === 0) return
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
    process.stdout.write(`   Answers  ${total} read by the strict client\n`)
    if (process.env['UNSEEN']) process.stdout.write([...counts].sort().join('\n'))
  }
}
