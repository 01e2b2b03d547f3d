/** Shows the progress of long work, on a terminal only. */

import type { CommandLine } from './command-line.js'

/** Narrower terminals, and those of unknown width, would wrap every line. */
const minColumns = 40

/**
 * Calls `work`, with a spinner on the standard error if that is a terminal of 40 columns or more.
 * @param work - Is called with a function that changes the text.
 */
export async function withProgress<Result>(
  { process }: CommandLine,
  title: string,
  work: (report: (text: string) => void) => Promise<Result>,
): Promise<Result> {
  const output = process.stderr
  if (!output.isTTY || output.columns < minColumns) return work(() => {})
  const { spinner } = await import('@clack/prompts')
  const shown = spinner({ output })
  shown.start(title)
  try {
    const result = await work((text) => shown.message(text))
    shown.stop(title)
    return result
  } catch (error) {
    shown.error(title)
    throw error
  }
}
