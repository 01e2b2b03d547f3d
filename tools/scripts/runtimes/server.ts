/** Starts a program that serves, and waits until it prints its address. */

import { type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** Options of `startServer`. */
export interface ServerOptions extends Pick<SpawnOptions, 'cwd' | 'env'> {
  /** Matches the address in the output, in its first group. */
  readonly pattern: RegExp
}

/** A program that serves. */
export interface RunningServer {
  /** The first group of the pattern. */
  readonly found: string
  /** Kills the program, and resolves when it has ended. */
  stop(): Promise<void>
}

/**
 * Resolves when the output of the program matches the pattern.
 * @throws Error with the output if the program ends, or ten seconds pass, before that.
 */
export async function startServer(
  program: string,
  args: readonly string[],
  { pattern, ...options }: ServerOptions,
): Promise<RunningServer> {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(program, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill()
    await ended
  }
  let output = ''
  const found = new Promise<string>((resolve, reject) => {
    const fail = (): void => reject(new Error(`${program} does not serve: ${output}`))
    const timer = setTimeout(fail, 10_000)
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        const match = pattern.exec(output)?.[1]
        if (match !== undefined) resolve(match)
      })
    ended.then(fail, fail).finally(() => clearTimeout(timer))
  })
  try {
    return { found: await found, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
