/** Prints in one line of JSON how the runtime conforms; the argument names a way to break the platform before. */

import { report } from './conform.mjs'

const { argv, stdout } = globalThis.process
stdout.write(`${JSON.stringify(await report(argv[2]))}\n`)
