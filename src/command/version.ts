/** The version of the installed package. */

import { createRequire } from 'node:module'

/** Returns the version in package.json. */
export function packageVersion(): string {
  return createRequire(import.meta.url)('cofferkit/package.json').version
}
