/** Runs a command with secrets in its environment. */

import type { CommandLine } from '../command-line.js'
import { runChild } from '../run-child.js'
import type { StoreFlags } from '../store/store-flags.js'
import { withResolver } from './with-resolver.js'

/** Runs a command to its end, and ends with its exit code; with 128 and the number of its signal. */
export async function run(
  this: CommandLine,
  flags: StoreFlags,
  ...command: string[]
): Promise<void> {
  const { process } = this
  const env = await withResolver(this, flags, (resolver) => resolver.resolveEnv(process.env))
  process.exitCode = await runChild(this, command, env)
}
