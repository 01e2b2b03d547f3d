/**
 * Runs the command `cofferkit` in an empty folder of its own: in this process, which takes a tenth of
 * the time, or from the bundle in its own process.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { runCommandLine } from '../../../../src/command/application.js'
import { commandLine } from '../source/bundle.js'

/** The result of a command. */
export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The folder, the environment and the standard input of a command. */
export interface CommandConditions {
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
}

/** Calls `work` with a new folder, which is removed afterwards. */
export async function withFolder<Result>(
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-command-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Commands that have children, whose folder and output are those of their process. */
const withChildren = new Set(['run', 'serve', 'relay'])

/** Runs a command to its end, in this process unless it has children. */
export async function runCommand(
  conditions: CommandConditions,
  ...parameters: readonly string[]
): Promise<CommandResult> {
  if (withChildren.has(parameters[0] ?? '')) return startCommand(conditions, ...parameters)
  const { folder, env, input = '' } = conditions
  const [stdout, stderr] = [collectText(), collectText()]
  const own = {
    argv: [process.execPath, 'cofferkit', ...parameters],
    env: { ...ownEnv(), ...env },
    exitCode: undefined,
    cwd: () => folder,
    stdin: Readable.from([Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
  }
  const line = Object.setPrototypeOf(own, process)
  await runCommandLine(parameters, line)
  return { code: line.exitCode ?? 0, stdout: stdout.text(), stderr: stderr.text() }
}

function collectText(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}

/** Runs a command to its end in its own process. */
export function startCommand(
  conditions: CommandConditions,
  ...parameters: readonly string[]
): Promise<CommandResult> {
  const child = startProcess(conditions, parameters)
  // A command that rejects its parameters ends without reading its input.
  child.stdin.on('error', () => {}).end(conditions.input ?? '')
  return resultOf(child)
}

/** Returns a command as the line of a shell. */
export function commandText(...parameters: readonly string[]): string {
  return [process.execPath, ...commandLine, ...parameters].map((part) => `'${part}'`).join(' ')
}

/** A running server. */
export interface ServedVault {
  /** The first line of `--json`. */
  readonly state: {
    readonly origin: string
    /** The token of the flag, of the environment, or one that `startListening` has chosen. */
    readonly token: string
    readonly store: string
    readonly seed?: string
    readonly vaults: readonly { readonly id: string; readonly name: string }[]
  }
  /** Sends a request with the token of the server. */
  request(path: string, init?: RequestInit): Promise<Response>
  /** Sends a signal and resolves with the result of the process. */
  stop(signal?: NodeJS.Signals): Promise<CommandResult>
}

/** Starts `serve --json` on a free port. */
export async function startServe(
  conditions: CommandConditions,
  ...parameters: readonly string[]
): Promise<ServedVault> {
  const { state, stop } = await startListening<ServedVault['state']>(
    conditions,
    'serve',
    ...parameters,
  )
  const { token } = state
  return {
    state,
    request: (path, init = {}) =>
      fetch(state.origin + path, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${token}` },
      }),
    stop,
  }
}

/** The token of a server whose test has not chosen one: a log contains no generated token. */
const testToken = 'token-of-the-tests-0123456789'

/** A running server, and the lines that it has written so far. */
export interface StartedServer<State> {
  readonly state: State
  readonly pid: number
  readonly stop: ServedVault['stop']
  /** Resolves with the first line on either output that matches, even if it is still to come. */
  lineWith(pattern: RegExp): Promise<string>
}

/** Starts a command that serves, with `--json` on a free port, and waits for its first line. */
export async function startListening<State>(
  { env = {}, ...conditions }: CommandConditions,
  command: string,
  ...parameters: readonly string[]
): Promise<StartedServer<State>> {
  const chosen = tokenOf(parameters) ?? env['COFFERKIT_TOKEN']
  const hasTokens = chosen !== undefined || parameters.includes('--tokens')
  const child = startProcess(
    { ...conditions, env: hasTokens ? env : { COFFERKIT_TOKEN: testToken, ...env } },
    [command, '--json', '--port', '0', ...parameters],
  )
  const result = resultOf(child)
  const first = new Promise<string>((resolve) => {
    let text = ''
    child.stdout.on('data', (chunk: string) => {
      text += chunk
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
  })
  const ended = result.then(({ code, stderr }): never => {
    throw new Error(`${command} ended with ${code}: ${stderr}`)
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream.on('data', (chunk: string) => {
      const complete = (rest + chunk).split('\n')
      rest = complete.pop() ?? ''
      lines.push(...complete)
      for (const look of waiting) look()
    })
  }
  const state: State = JSON.parse(await Promise.race([first, ended]))
  ended.catch(() => {})
  return {
    state: { ...state, token: chosen ?? testToken },
    pid: child.pid ?? 0,
    lineWith: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = lines.find((line) => pattern.test(line))
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return result
    },
  }
}

function tokenOf(parameters: readonly string[]): string | undefined {
  const index = parameters.indexOf('--token')
  return index < 0 ? undefined : parameters[index + 1]
}

/** The environment of this process without what changes the output of a command. */
function ownEnv(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, OP_CONNECT_HOST: _host, OP_CONNECT_TOKEN: _token, ...own } = process.env
  return own
}

function startProcess(
  { folder, env }: CommandConditions,
  parameters: readonly string[],
): ChildProcessByStdio<Writable, Readable, Readable> {
  const child = spawn(process.execPath, [...commandLine, ...parameters], {
    cwd: folder,
    env: { ...ownEnv(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdout.setEncoding('utf8')
  child.stderr.setEncoding('utf8')
  return child
}

function resultOf(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
): Promise<CommandResult> {
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text: string) => {
    stdout += text
  })
  child.stderr.on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/**
 * Starts a command that prints a screen, calls `work` with the screen, and sends SIGTERM.
 * @returns The whole output.
 */
export async function startScreen(
  conditions: CommandConditions,
  parameters: readonly string[],
  work: (screen: string) => Promise<void>,
): Promise<string> {
  const child = startProcess(conditions, parameters)
  const result = resultOf(child)
  let text = ''
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: string) => {
      text += chunk
      if (text.includes('Ctrl+C stops it.')) resolve()
    })
    child.on('close', () => resolve())
  })
  await work(text)
  child.kill('SIGTERM')
  return (await result).stdout
}
