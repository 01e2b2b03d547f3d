/** Prints the value of a secret reference. */

import type { CommandLine } from '../command-line.js'
import type { StoreFlags } from '../store/store-flags.js'
import { withResolver } from './with-resolver.js'

/** Resolves one reference, and writes its value to the standard output. */
export async function read(
  this: CommandLine,
  flags: StoreFlags & { readonly newline: boolean },
  reference: string,
): Promise<void> {
  const value = await withResolver(this, flags, (resolver) => resolver.resolve(reference))
  this.process.stdout.write(flags.newline ? `${value}\n` : value)
}
