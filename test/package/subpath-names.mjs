/** The names of the subpaths of the installed package. */

import { createRequire } from 'node:module'

const names = Object.keys(createRequire(import.meta.url)('cofferkit/package.json').exports).map(
  (subpath) => (subpath === '.' ? 'index' : subpath.slice('./'.length)),
)

/** The files of JSON, such as `openapi.json`. */
export const jsonNames = names.filter((name) => name.endsWith('.json'))

/** All others; `index` for the package itself. */
export const subpathNames = names.filter((name) => !name.endsWith('.json'))
