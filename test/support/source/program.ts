/** Runs a program of ours as its readers do: in a Node process of its own, from the top of the project. */

import { spawn } from 'node:child_process'

/** A program that has ended. */
export interface Ended {
  /** The exit code; null after a signal. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A program that may still run. */
export interface Running {
  readonly pid: number
  /** Ends it at once; does nothing if it has ended. */
  kill(): void
  /** Resolves with what it has printed as soon as that includes `text`. */
  printed(text: string): Promise<string>
  readonly ended: Promise<Ended>
}

const flags = ['--import', './scripts/register-sources.ts']

/** For a program whose output is read: whoever runs the tests may see colours, it prints none. */
export const plainEnv = (): NodeJS.ProcessEnv => {
  const { FORCE_COLOR: _, ...env } = process.env
  return env
}

/** Starts a file, given by its path from the top of the project. */
export function startProgram(file: string, ...parameters: readonly string[]): Running {
  return start([...flags, file, ...parameters])
}

/** Runs a TypeScript module that is given as text. */
export function runText(text: string): Promise<Ended> {
  return start([...flags, '--input-type=module-typescript', '-'], text).ended
}

function start(parameters: readonly string[], input = ''): Running {
  const child = spawn(process.execPath, parameters, { env: plainEnv() })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.end(input)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }))
  })
  const printed = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (stdout.includes(text)) resolve(stdout)
      }
      child.stdout.on('data', look)
      child.on('close', () => reject(new Error(`ended without printing ${text}: ${stderr}`)))
      look()
    })
  return { pid: child.pid ?? 0, kill: () => child.kill('SIGKILL'), printed, ended }
}
