/** The entry points of mounts, which are the files of `src/adapters`. */

import { join } from 'node:path'
import { entryPoints } from '../../../tools/scripts/entry-points.js'

const root = join(import.meta.dirname, '../../..')

type Callable = (...values: never[]) => unknown

/** The entry point of a mount. */
export interface Adapter {
  /** Its name, such as `koa`. */
  readonly name: string
  /** The functions that create a mount, by their names. */
  readonly mounts: Readonly<Record<string, Callable>>
  /** The functions that make the option `authenticate`, such as `fromKoa`, by their names. */
  readonly logins: Readonly<Record<string, Callable>>
}

/** Functions that create something else than a mount. */
const others = ['createPublicFetch']

/** Every mount of `exports` in `package.json`. */
export const adapters: readonly Adapter[] = await Promise.all(
  entryPoints()
    .filter(({ source }) => source.startsWith('src/adapters/'))
    .map(async ({ name, source }) => {
      const functions = Object.entries<Callable>(await import(join(root, source)))
      const select = (prefix: string) =>
        Object.fromEntries(
          functions.filter(([key]) => key.startsWith(prefix) && !others.includes(key)),
        )
      return { name, mounts: select('create'), logins: select('from') }
    }),
)
