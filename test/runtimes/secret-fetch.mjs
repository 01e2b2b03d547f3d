/** Prints the report of the secret fetch of the runtime. The argument is the origin of the server. */

import { report } from './secret-fetch-checks.mjs'

const { argv, stdout } = globalThis.process
stdout.write(`${JSON.stringify(await report(argv[2]))}\n`)
