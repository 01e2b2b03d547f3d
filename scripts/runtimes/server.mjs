/** Starts a program that serves, and waits until it says where. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Resolves with what `pattern` finds in what the program prints, and with what ends it and waits for that.
 * @throws Error with what it printed if it ends, or ten seconds pass, before that.
 */
export async function startServer(program, args, { pattern, ...options }) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await ended
  }
  let output = ''
  const found = new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`${program} does not serve: ${output}`))
    const timer = setTimeout(fail, 10_000)
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
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
