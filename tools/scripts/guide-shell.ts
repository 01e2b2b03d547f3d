/** The terminal of a reader of a guide: runs its commands, and compares their output with the page. */

import { equal, partialDeepStrictEqual } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { GuideAnswer } from './read-guide.js'

/** A shell that keeps its variables. */
export interface GuideShell {
  /** Runs lines in which the server has the port 3000. @throws Error if one of them fails. */
  run(text: string): Promise<string>
  close(): void
}

/** Starts a shell in a folder. `port` is the one that the server of the guide really has. */
export function startShell(cwd: string, port: string): GuideShell {
  const shell = spawn('bash', ['-eo', 'pipefail'], { cwd, stdio: ['pipe', 'pipe', 'inherit'] })
  const end = '--- end ---'
  return {
    run(text: string): Promise<string> {
      const lines = text.replaceAll('localhost:3000', `localhost:${port}`)
      shell.stdin.write(`${lines.replaceAll('curl ', 'curl -sS ')}\nprintf '%s' '${end}'\n`)
      let output = ''
      return new Promise((resolve, reject) => {
        shell.once('exit', () => reject(new Error(`${text} failed: ${output}`)))
        shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
          output += chunk
          if (!output.endsWith(end)) return
          shell.stdout.removeAllListeners('data')
          shell.removeAllListeners('exit')
          resolve(output.slice(0, -end.length))
        })
      })
    },
    close: () => shell.kill(),
  }
}

/**
 * @throws Error if the output differs from the answer of the page in more than ids and times. JSON
 * can have more members than the page shows.
 */
export function compareAnswer(page: string, { isJson, text }: GuideAnswer, output: string): void {
  const message = `${page} shows ${text}\nbut the answer is ${output}`
  if (isJson) partialDeepStrictEqual(shapeOf(output), shapeOf(text), message)
  else equal(output.trim(), text.trim(), message)
}

/** Parses JSON without the values that differ in every run; only their length remains. */
function shapeOf(json: string): unknown {
  const changing = ['id', 'createdAt', 'updatedAt', 'lastEditedBy', 'value', 'token', 'at', 'item']
  return JSON.parse(json, (name, value: unknown) =>
    changing.includes(name) && typeof value === 'string' ? '*'.repeat(value.length) : value,
  )
}
