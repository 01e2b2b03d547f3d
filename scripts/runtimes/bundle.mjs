/** Bundles a script and the installed package into one module, as it is done for workers and browsers. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** Writes `name` of the folder, with all that it imports, to `outfile`, and answers its text. */
export async function bundle(consumer, name, outfile) {
  await build({
    entryPoints: [join(consumer, name)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    // Named only in the raw HTTP client of cofferkit/testing, and only when that is used.
    external: ['node:net'],
    logLevel: 'error',
  })
  return readFileSync(outfile, 'utf8')
}
