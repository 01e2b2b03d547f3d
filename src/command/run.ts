/** The command `run`: runs a command with secrets in its environment. */

import { buildCommand } from '@stricli/core'
import type { CommandLine } from './command-line.js'
import { runChild } from './run-child.js'
import { type StoreFlags, storeFlags } from './store/store-flags.js'
import { secretSource, withResolver } from './with-resolver.js'

/** The flags of `run`. */
interface RunFlags extends StoreFlags {
  readonly mask?: boolean
}

/** Runs a command with secrets in its environment. */
export const runCommand = buildCommand<RunFlags, string[], CommandLine>({
  func: run,
  parameters: {
    flags: {
      ...storeFlags,
      mask: {
        kind: 'boolean',
        optional: true,
        brief: 'Mask the values in the output; by default only in pipes and files',
      },
    },
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
      'Replaces each environment variable whose value begins with op:// with the secret and runs the',
      'command with them. Signals are passed on, and its exit code is returned. In its output, values',
      'of eight characters or more are masked if the output is a pipe or a file. The command',
      'does not get COFFERKIT_STORE, COFFERKIT_KEY_FILE, COFFERKIT_TOKEN, OP_CONNECT_HOST and',
      'OP_CONNECT_TOKEN, or the other variables with tokens of cofferkit, unless their values are',
      'references.',
      '',
      '  PGPASSWORD=op://Team/Database/password cofferkit run -- psql',
      '',
      ...secretSource,
    ].join('\n'),
  },
})

/** Runs a command to its end, and exits with its exit code, or 128 plus its signal's number. */
async function run(this: CommandLine, flags: RunFlags, ...command: string[]): Promise<void> {
  const { process } = this
  const env = await withResolver(this, flags, (resolver) => resolver.resolveEnv(process.env))
  const resolved: Record<string, string> = {}
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && value !== process.env[name]) resolved[name] = value
  const values = Object.values(resolved)
  const { createRedactor } = await import('../use.js')
  const redactor = createRedactor(values)
  const redactorOf = ({ isTTY }: { readonly isTTY?: boolean }) =>
    values.length > 0 && (flags.mask ?? !isTTY) ? redactor : undefined
  process.exitCode = await runChild(this, command, resolved, {
    stdout: redactorOf(process.stdout),
    stderr: redactorOf(process.stderr),
  })
}
