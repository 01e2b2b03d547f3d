/** The log of a server: lines for people, or one JSON object per line. */

import { describeError } from '../command-error.js'
import { type CommandLine, print, printNote } from '../command-line.js'
import { formatRequest, type LoggedRequest } from './request-log.js'

/** The log of a server. No line contains a token or a value. */
export interface ServerLog {
  /** Logs an event, such as `listening`, with its facts; for people, the text instead. */
  event(name: string, facts: object, text: string): void
  request(request: LoggedRequest): void
  warn(message: string): void
  /**
   * Logs an error. A repeated error is logged once a minute, with the number of repetitions since
   * the last line.
   */
  error(error: unknown, requestId?: string): void
  /** Logs the numbers of errors that were left out so far. */
  flush(): void
}

/** Options that decide what a server logs, and in which form. */
export interface ServerLogOptions {
  readonly isJson: boolean
  /** If true, only errors and warnings are logged, because the output belongs to a command. */
  readonly isQuiet?: boolean
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number
}

type Level = 'info' | 'warn' | 'error'

/** A line of code in the text of an error. */
const framePattern = /^ +at /

const minPauseMs = 60_000
/** How many different errors are remembered. All others are logged each time. */
const maxRemembered = 1000

/** Creates the log of a server. Errors and warnings go to the standard error. */
export function createServerLog(
  line: CommandLine,
  { isJson, isQuiet = false, now = () => performance.now() }: ServerLogOptions,
): ServerLog {
  const write = (level: Level, event: string, facts: object, text: string): void => {
    const time = new Date().toISOString()
    const written = isJson ? JSON.stringify({ level, time, event, ...facts }) : text
    if (level !== 'info' && event !== 'request') printNote(line, written)
    else if (!isQuiet) print(line, written)
  }
  /** The errors of the last minute by their texts: when each was logged, and how often since. */
  const seen = new Map<string, { readonly at: number; repeated: number }>()
  const writeError = (text: string, repeated: number, requestId?: string): void => {
    const [message = '', ...rest] = text.split('\n')
    const stack = rest.filter((part) => framePattern.test(part))
    const hint = rest.filter((part) => !framePattern.test(part)).join(' ')
    const more = repeated === 0 ? '' : ` (and ${repeated} more times since the last such line)`
    const facts = {
      ...(requestId !== undefined && { requestId }),
      message: message.replace(/^error: /, ''),
      ...(hint !== '' && { hint }),
      ...(stack.length > 0 && { stack: stack.map((frame) => frame.trim()) }),
      ...(repeated > 0 && { repeated }),
    }
    const who = requestId === undefined ? '' : `request ${requestId}: `
    write('error', 'error', facts, [`${who}${message}${more}`, ...rest].join('\n'))
  }
  const flushOlderThan = (time: number): void => {
    for (const [text, { at, repeated }] of seen) {
      if (at > time) break
      seen.delete(text)
      if (repeated > 0) writeError(text, repeated)
    }
  }
  return {
    event: (name, facts, text) => write('info', name, facts, text),
    request: (request) =>
      write(request.status >= 500 ? 'error' : 'info', 'request', request, formatRequest(request)),
    warn: (message) => write('warn', 'warning', { message }, `warning: ${message}`),
    error(error, requestId) {
      const text = describeError(error)
      const before = seen.get(text)
      const time = now()
      if (before !== undefined && time - before.at < minPauseMs) {
        before.repeated++
        return
      }
      seen.delete(text)
      flushOlderThan(time - minPauseMs)
      if (seen.size < maxRemembered) seen.set(text, { at: time, repeated: 0 })
      writeError(text, before?.repeated ?? 0, requestId)
    },
    flush: () => flushOlderThan(Number.POSITIVE_INFINITY),
  }
}
