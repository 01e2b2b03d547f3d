/** Runs programs of the project with the bundle, in their own Node processes, from the root of the project. */

import { spawn } from 'node:child_process'
import { resolve as resolvePath } from 'node:path'
import { bundleFlags } from './bundle.js'

/** The result of a program. */
export interface Ended {
  /** The exit code; null after a signal. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A started program. */
export interface Running {
  readonly pid: number
  /** Kills the program; does nothing if it has ended. */
  kill(): void
  /**
   * Resolves with the output so far as soon as it contains `text` this many times, by default once.
   * Rejects if the program ends first.
   */
  printed(text: string, times?: number): Promise<string>
  readonly ended: Promise<Ended>
}

/** Returns an environment without colours, so that output can be compared. */
export function plainEnv(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...env } = process.env
  return env
}

/** Starts a file, given by its path from the root of the project. */
export function startProgram(file: string, ...parameters: readonly string[]): Running {
  return start([...bundleFlags, file, ...parameters])
}

/** Starts a file in another folder, with these variables in its environment. */
export function startProgramIn(folder: string, file: string, env: NodeJS.ProcessEnv): Running {
  return start([...bundleFlags, resolvePath(file)], '', env, folder)
}

/**
 * Starts the text of a TypeScript module in `test/integrations`, whose packages it can import, with
 * these variables in its environment.
 */
export function startText(text: string, env: NodeJS.ProcessEnv = {}): Running {
  const parameters = [...bundleFlags, '--input-type=module-typescript', '-']
  return start(parameters, text, env, resolvePath('test/integrations'))
}

/** Runs the text of a module as `startText` does. Resolves when it has ended. */
export function runText(text: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return startText(text, env).ended
}

function start(
  parameters: readonly string[],
  input = '',
  env: NodeJS.ProcessEnv = {},
  cwd = process.cwd(),
): Running {
  const child = spawn(process.execPath, parameters, { cwd, env: { ...plainEnv(), ...env } })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // A program that fails early ends without reading its input.
  child.stdin.on('error', () => {}).end(input)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }))
  })
  const printed = (text: string, times = 1): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (stdout.split(text).length > times) resolve(stdout)
      }
      child.stdout.on('data', check)
      child.on('close', () =>
        reject(new Error(`the program ended without printing ${text}: ${stderr}`)),
      )
      check()
    })
  return { pid: child.pid ?? 0, kill: () => child.kill('SIGKILL'), printed, ended }
}
