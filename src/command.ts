#!/usr/bin/env node

/**
 * The command `cofferkit`. Exit codes: 0 for success, 1 for a bug, 2 for a failure that can be
 * expected, such as a wrong argument or a store that does not respond.
 */

import { run, type StricliProcess } from '@stricli/core'
import { createApplication } from './command/application.js'
import { describeError } from './command/command-error.js'
import { complete } from './command/completion.js'

// Node 22 prints a warning when its SQLite is used.
const { emitWarning } = process
process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
  if (!/SQLite/.test(String(warning))) Reflect.apply(emitWarning, process, [warning, ...rest])
}

process.on('uncaughtException', (error) => {
  process.stderr.write(`${describeError(error)}\n`)
  process.exit(1)
})

// The reader of a pipe has ended, such as `head`.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1))

// Node declares that an exit code can be undefined, and Stricli that it can be absent.
const line = { process: process as NodeJS.Process & StricliProcess }
const words = process.argv.slice(2)
const application = createApplication(words)
const [first, ...rest] = words
if (first === '__complete') await complete(line, application, rest)
else await run(application, words, line)
// Wrong arguments and unknown commands have negative codes below -3.
const code = Number(process.exitCode ?? 0)
if (code < 0) process.exitCode = code <= -4 ? 2 : 1
