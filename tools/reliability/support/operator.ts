/** Runs the command `cofferkit` as an operator does: each time in its own process. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const root = new URL('../../../', import.meta.url)
const main = fileURLToPath(new URL('src/command.ts', root))
const flags = ['--import', new URL('tools/scripts/register-sources.ts', root).href]

/** The conditions of a command. */
interface CommandConditions {
  /** Its standard input. By default, it is empty. */
  readonly input?: string
  /** Milliseconds until it is killed. By default, it is not. */
  readonly killAfterMs?: number
}

/** The end of a command. */
interface CommandEnd {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly seconds: number
}

/** A running `serve`. */
export interface RunningServer {
  readonly origin: string
  /** Resolves when the process has ended. */
  stop(signal: NodeJS.Signals): Promise<void>
}

/** An operator in a folder. */
export interface Operator {
  /** Runs a command to its end. */
  attempt(words: readonly string[], conditions?: CommandConditions): Promise<CommandEnd>
  /** The same. @throws Error with the output if the exit code is not 0. */
  run(words: readonly string[], conditions?: CommandConditions): Promise<CommandEnd>
  /** Starts `serve` on a free port, and resolves when it listens. */
  serve(words: readonly string[]): Promise<RunningServer>
  /** Kills every process that has not ended. */
  close(): void
}

/** Creates an operator whose folder has the files of the server. */
export function createOperator(folder: string): Operator {
  const running = new Set<ChildProcess>()
  const start = (words: readonly string[]): ChildProcess => {
    const all = [...flags, main, ...words]
    const child = spawn(process.execPath, all, { cwd: folder, stdio: 'pipe' })
    running.add(child)
    return child.once('exit', () => running.delete(child))
  }
  const attempt: Operator['attempt'] = async (words, { input = '', killAfterMs } = {}) => {
    const startedAt = performance.now()
    const child = start(words)
    const { stdin, stdout, stderr } = child
    if (!stdin || !stdout || !stderr) throw new Error('the command has no streams')
    stdin.on('error', () => {}).end(input)
    const timer = killAfterMs && setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    const [[code], out, problems] = await Promise.all([
      once(child, 'close') as Promise<[number | null]>,
      text(stdout),
      text(stderr),
    ])
    clearTimeout(timer)
    const seconds = (performance.now() - startedAt) / 1000
    return { code, stdout: out, stderr: problems, seconds }
  }
  return {
    attempt,
    async run(words, conditions) {
      const end = await attempt(words, conditions)
      if (end.code === 0) return end
      throw new Error(`cofferkit ${words.join(' ')} ended with ${end.code}: ${end.stderr}`)
    },
    async serve(words) {
      const child = start(['serve', '--port', '0', '--json', ...words])
      const ended = once(child, 'close')
      const origin = await originOf(child)
      return {
        origin,
        async stop(signal) {
          child.kill(signal)
          await ended
        },
      }
    },
    close() {
      for (const child of running) child.kill('SIGKILL')
    },
  }
}

/** Resolves with the origin that `serve --json` prints. @throws Error if the process ends first. */
function originOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: string): void => {
      output = (output + chunk).slice(0, 10_000)
      const [, origin] = /"origin":"([^"]+)"/.exec(output) ?? []
      if (origin !== undefined) resolve(origin)
    }
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', read)
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${output}`)))
  })
}
