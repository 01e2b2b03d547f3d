/** Fills a template with the values of its secret references. */

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { CommandError } from '../command-error.js'
import type { CommandLine } from '../command-line.js'
import { readUserFile } from '../read-user-file.js'
import type { StoreFlags } from '../store/store-flags.js'
import { withResolver } from './with-resolver.js'

/** Reads a template, and writes the result to the standard output or a new file. */
export async function inject(
  this: CommandLine,
  flags: StoreFlags & { readonly out?: string },
  file: string,
): Promise<void> {
  const folder = this.process.cwd()
  const template =
    file === '-'
      ? await text(this.process.stdin)
      : (await readUserFile(folder, file)).toString('utf8')
  const result = await withResolver(this, flags, (resolver) => resolver.inject(template))
  if (flags.out === undefined) {
    this.process.stdout.write(result)
    return
  }
  try {
    writeFileSync(resolve(folder, flags.out), result, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code = 'unknown' } = Object(error)
    if (code === 'EEXIST')
      throw new CommandError(`${flags.out} exists already`, 'Name another file with --out.')
    throw new CommandError(`${flags.out} cannot be written: ${code}`)
  }
}
