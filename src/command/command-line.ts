/** The process in which a command runs. */

import type { CommandContext } from '@stricli/core'

/** The context of every command. */
export interface CommandLine extends CommandContext {
  readonly process: NodeJS.Process
}

/** Writes a line to the standard output. */
export function print({ process }: CommandLine, line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Writes a line to the standard error, for everything that is not the result of a command. */
export function printNote({ process }: CommandLine, line: string): void {
  process.stderr.write(`${line}\n`)
}
