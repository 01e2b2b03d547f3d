/** Runs the command of a user as a child process. */

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { CommandError } from './command-error.js'
import type { CommandLine } from './command-line.js'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a command to its end. It has the standard streams of this process, and gets its signals.
 * @returns The exit code of the command; 128 plus the number of the signal that ended it.
 * @throws CommandError if it cannot be started, with the exit code of a shell: 127 if it was not
 * found, else 126.
 */
export async function runChild(
  { process }: CommandLine,
  [command = '', ...parameters]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const child = spawn(command, parameters, { env, stdio: 'inherit' })
  // A terminal sends Ctrl+C to both processes: this one waits for the other.
  const listeners = signals.map((signal) => {
    const pass = (): void => void (signal !== 'SIGINT' && child.kill(signal))
    process.on(signal, pass)
    return () => process.removeListener(signal, pass)
  })
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', ({ code }: NodeJS.ErrnoException) => {
        const isMissing = code === 'ENOENT'
        const reason = isMissing ? 'was not found' : `cannot be started: ${code}`
        reject(new CommandError(`${command} ${reason}`, undefined, isMissing ? 127 : 126))
      })
      child.once('close', (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      )
    })
  } finally {
    for (const remove of listeners) remove()
  }
}
