/**
 * Everything the library outputs besides its responses: errors, and console and standard streams.
 */

import { inspect } from 'node:util'
import { vi } from 'vitest'
import type { HttpResponse } from '../../../src/http/message.js'

/** Returns everything that can be read from an error, including its causes. */
export function errorText(error: unknown): string {
  const words = [
    inspect(error, { depth: 10, showHidden: true, getters: true }),
    JSON.stringify(error),
  ]
  for (let current = error; current instanceof Error; current = current.cause) {
    words.push(current.message, String(current), current.stack ?? '')
  }
  return words.join('\n')
}

/** Returns everything that a client reads from a response. */
export function responseText({ status, headers, body }: HttpResponse): string {
  return JSON.stringify([status, headers, body])
}

/** Runs `work` and returns everything that was written to the console and the standard streams. */
export async function captureOutput(work: () => Promise<void>): Promise<string> {
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
