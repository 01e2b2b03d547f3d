/** Answers the completion scripts of shells. */

import { type Application, proposeCompletions } from '@stricli/core'
import { type CommandLine, print } from './command-line.js'

/**
 * Prints the words that can follow, one per line.
 * @param parameters - The shell, and the words after `cofferkit` up to the cursor.
 */
export async function complete(
  line: CommandLine,
  application: Application<CommandLine>,
  [shell, ...words]: readonly string[],
): Promise<void> {
  const proposals = await proposeCompletions(application, words, line)
  const last = words.at(-1) ?? ''
  for (const { completion, brief } of proposals) {
    if (!completion.startsWith(last)) continue
    print(line, shell === 'zsh' ? `${completion.replaceAll(':', '\\:')}:${brief}` : completion)
  }
}
