/** Bundles a script and the installed package into one module, as for workers and browsers. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** Writes the script `name` of the folder, with all that it imports, to `outfile`. Returns the text. */
export async function bundle(consumer: string, name: string, outfile: string): Promise<string> {
  await build({
    entryPoints: [join(consumer, name)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    // Imported by what cofferkit/testing has for sockets, and only when it is used.
    external: ['node:http', 'node:net', '*/node.js'],
    logLevel: 'error',
  })
  return readFileSync(outfile, 'utf8')
}
