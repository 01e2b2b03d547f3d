/** Starts and ends programs and servers. */

import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { createServer } from 'node:net'

/** Runs a program to its end. @throws Error with the output of the program if it fails. */
export function runProgram(
  program: string,
  parameters: readonly string[],
  options: SpawnOptions,
): Promise<void> {
  const child = spawn(program, parameters, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`${program} ended with ${code}: ${output}`))
    })
  })
}

/**
 * Starts a server, and resolves with its process as soon as it has written the text `ready` to its
 * log. @throws Error with the end of the log if it ends before that.
 */
export function startServer(
  program: string,
  parameters: readonly string[],
  options: object,
  ready: string,
): Promise<ChildProcess> {
  const child = spawn(program, parameters, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`${program} ended with ${code}: ${output}`)))
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000)
      if (output.includes(ready)) resolve(child)
    })
  })
}

/** Sends a signal to a child process, and resolves when it has ended. */
export function endProcess(child: ChildProcess, name: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(name)
  })
}

/** Returns the ids of a user of the system, for `spawn`. @throws Error if it does not exist. */
export function systemUser(name: string): { readonly uid: number; readonly gid: number } {
  const idOf = (kind: string): number =>
    Number(execFileSync('id', [kind, name], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** Returns a port of 127.0.0.1 that no server uses. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        resolve(address !== null && typeof address === 'object' ? address.port : 0),
      )
    })
  })
}
