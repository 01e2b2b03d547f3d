/** The command `run`: runs a command with secrets in its environment. */

import { buildCommand } from '@stricli/core'
import type { CommandLine } from './command-line.js'
import { runChild } from './run-child.js'
import { type StoreFlags, storeFlags } from './store/store-flags.js'
import { secretSource, withResolver } from './with-resolver.js'

/** Runs a command with secrets in its environment. */
export const runCommand = buildCommand<StoreFlags, string[], CommandLine>({
  func: run,
  parameters: {
    flags: storeFlags,
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: { brief: 'The command, after --', placeholder: 'COMMAND', parse: String },
    },
  },
  docs: {
    customUsage: ['-- COMMAND [ARGUMENTS]'],
    brief: 'Run a command with the references in its environment resolved',
    fullDescription: [
      'Replaces each environment variable that begins with op:// by its value and runs the',
      'command with them. Signals are passed on, and its exit code is returned.',
      '',
      '  PGPASSWORD=op://Team/Database/password cofferkit run -- psql',
      '',
      ...secretSource,
    ].join('\n'),
  },
})

/** Runs a command to its end, and ends with its exit code; with 128 and the number of its signal. */
async function run(this: CommandLine, flags: StoreFlags, ...command: string[]): Promise<void> {
  const { process } = this
  const env = await withResolver(this, flags, (resolver) => resolver.resolveEnv(process.env))
  process.exitCode = await runChild(this, command, env)
}
