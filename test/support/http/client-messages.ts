/** Everything that comes out of the library beside its answers: errors, and what is written for people to read. */

import { inspect } from 'node:util'
import { vi } from 'vitest'
import type { HttpResponse } from '../../../src/http/message.js'

/** Everything that can be read off an error, its causes included. */
export function wordsOf(error: unknown): string {
  const words = [
    inspect(error, { depth: 10, showHidden: true, getters: true }),
    JSON.stringify(error),
  ]
  for (let current = error; current instanceof Error; current = current.cause) {
    words.push(current.message, String(current), current.stack ?? '')
  }
  return words.join('\n')
}

/** Everything that a client reads of a response. */
export function wordsIn({ status, headers, body }: HttpResponse): string {
  return JSON.stringify([status, headers, body])
}

/** Runs `work` and answers everything that was written to the console and the standard streams meanwhile. */
export async function writtenDuring(work: () => Promise<void>): Promise<string> {
  const written: unknown[] = []
  const streams = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((chunk) => written.push(chunk) > 0),
  )
  const consoles = (['log', 'info', 'warn', 'error', 'debug', 'trace'] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation((...words) => {
      written.push(...words)
    }),
  )
  const warned = (warning: Error): unknown => written.push(warning)
  process.on('warning', warned)
  try {
    await work()
  } finally {
    process.off('warning', warned)
    for (const spy of [...streams, ...consoles]) spy.mockRestore()
  }
  return written.map((words) => (typeof words === 'string' ? words : inspect(words))).join('\n')
}
