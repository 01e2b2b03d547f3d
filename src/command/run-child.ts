/** Runs the command of a user as a child process. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { Redactor } from '../use.js'
import { CommandError } from './command-error.js'
import type { CommandLine } from './command-line.js'

/** The variables from which this program reads its own server, tokens, store and key file. */
const ownVariable =
  /^(?:COFFERKIT_(?:FROM|KEY|METRICS_TOKEN|STORE|TO|TOKENS?)(?:_FILE)?|OP_CONNECT_(?:HOST|TOKEN))$/

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How the output of a command is masked. By default each stream is passed on unchanged. */
export interface MaskedOutput {
  readonly stdout?: Redactor | undefined
  readonly stderr?: Redactor | undefined
}

/**
 * Runs a command to its end. It has the standard streams of this process, except for masked output,
 * and gets its signals. Its environment is that of this process, without the variables that this
 * program itself reads, so that the command cannot read other secrets with them.
 * @param variables - Variables that are added to the environment, whatever their names are.
 * @returns The exit code of the command; 128 plus the number of the signal that ended it.
 * @throws CommandError if it cannot be started, with the exit code of a shell: 127 if it was not
 * found, else 126.
 */
export async function runChild(
  { process }: CommandLine,
  [command = '', ...parameters]: readonly string[],
  variables: Readonly<Record<string, string>>,
  { stdout, stderr }: MaskedOutput = {},
): Promise<number> {
  const inherited = Object.entries(process.env).filter(
    // On Windows, the names of variables have no case.
    ([name]) => !ownVariable.test(name.toUpperCase()),
  )
  const env = { ...Object.fromEntries(inherited), ...variables }
  const child = spawn(command, parameters, {
    env,
    stdio: ['inherit', stdout ? 'pipe' : 'inherit', stderr ? 'pipe' : 'inherit'],
  })
  // A terminal sends Ctrl+C to both processes, so this one waits for the other.
  const listeners = signals.map((signal) => {
    const pass = (): void => void (signal !== 'SIGINT' && child.kill(signal))
    process.on(signal, pass)
    return () => process.removeListener(signal, pass)
  })
  try {
    const ended = new Promise<number>((resolve, reject) => {
      child.once('error', ({ code }: NodeJS.ErrnoException) => {
        const isMissing = code === 'ENOENT'
        const reason = isMissing ? 'was not found' : `cannot be started: ${code}`
        reject(new CommandError(`${command} ${reason}`, undefined, isMissing ? 127 : 126))
      })
      child.once('close', (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      )
    })
    const [code] = await Promise.all([
      ended,
      stdout && copyMasked(child.stdout, stdout, process.stdout),
      stderr && copyMasked(child.stderr, stderr, process.stderr),
    ])
    return code
  } finally {
    for (const remove of listeners) remove()
  }
}

/** Writes the output of a command with its values masked. */
async function copyMasked(
  source: Readable | null,
  redactor: Redactor,
  target: Writable,
): Promise<void> {
  const { readable, writable } = redactor.stream()
  const writeMasked = async (): Promise<void> => {
    for await (const bytes of readable) if (!target.write(bytes)) await once(target, 'drain')
  }
  const readSource = async (): Promise<void> => {
    const writer = writable.getWriter()
    for await (const chunk of source ?? []) await writer.write(chunk)
    await writer.close()
  }
  await Promise.all([readSource(), writeMasked()])
}
