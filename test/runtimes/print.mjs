/**
 * Prints the conformance report of the runtime as one line of JSON. The argument names a broken
 * platform to use.
 */

import { report } from './conform.mjs'

const { argv, stdout } = globalThis.process
stdout.write(`${JSON.stringify(await report(argv[2]))}\n`)
