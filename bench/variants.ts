/** The variants of each build that are measured: without and with its cache of parsed items. */

import type { Build } from './bench-options.js'
import { loadBuild } from './load-build.js'

/** A build, and the options of its service. */
export interface Variant extends Build {
  /** The option `cache.items` of the service; 0 without a cache. */
  readonly cachedItems: number
}

/** Every build, followed by its variant with a cache of 256 items if the build has that option. */
export async function listVariants(builds: readonly Build[]): Promise<readonly Variant[]> {
  const variants = builds.map(async (build): Promise<readonly Variant[]> => {
    const plain = { ...build, cachedItems: 0 }
    if (!(await hasCache(build))) return [plain]
    return [plain, { ...build, name: `${build.name}, cache`, cachedItems: 256 }]
  })
  return (await Promise.all(variants)).flat()
}

/** The options of the service, for a build that may not have the option `cache`. */
export function serviceOptions<Store>(
  store: Store,
  cachedItems: number,
): { readonly store: Store; readonly cache?: { readonly items: number } } {
  return { store, ...(cachedItems > 0 && { cache: { items: cachedItems } }) }
}

/** A build without the option ignores it; one that has it rejects a negative number. */
async function hasCache({ url }: Build): Promise<boolean> {
  const build = loadBuild(url)
  const { createVaultService } = await build.core()
  const { createMemoryStore } = await build.memory()
  const options = { store: createMemoryStore(), cache: { items: -1 } }
  try {
    createVaultService(options)
    return false
  } catch {
    return true
  }
}
