/** Runs a command with secrets in its environment. */

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { CommandError } from '../command-error.js'
import type { CommandLine } from '../command-line.js'
import type { StoreFlags } from '../store/store-flags.js'
import { withResolver } from './with-resolver.js'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs a command to its end, and ends with its exit code; with 128 and the number of its signal. */
export async function run(
  this: CommandLine,
  flags: StoreFlags,
  command: string,
  ...parameters: string[]
): Promise<void> {
  const { process } = this
  const env = await withResolver(this, flags, (resolver) => resolver.resolveEnv(process.env))
  const child = spawn(command, parameters, { env, stdio: 'inherit' })
  // A terminal sends Ctrl+C to both processes: this one waits for the other.
  const listeners = signals.map((signal) => {
    const pass = (): void => void (signal !== 'SIGINT' && child.kill(signal))
    process.on(signal, pass)
    return () => process.removeListener(signal, pass)
  })
  try {
    process.exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', ({ code }: NodeJS.ErrnoException) => {
        const reason = code === 'ENOENT' ? 'was not found' : `cannot be started: ${code}`
        reject(new CommandError(`${command} ${reason}`))
      })
      child.once('close', (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      )
    })
  } finally {
    for (const remove of listeners) remove()
  }
}
