#!/usr/bin/env node

/**
 * The command `cofferkit`. Exit codes: 0 for success, 1 for a bug, 2 for an expected failure, such
 * as a wrong argument or a store that does not respond.
 */

import type { StricliProcess } from '@stricli/core'
import { runCommandLine } from './command/application.js'
import { describeError } from './command/command-error.js'

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
await runCommandLine(process.argv.slice(2), process as NodeJS.Process & StricliProcess)
