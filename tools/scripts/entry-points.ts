/** The entry points of the package. They are listed once, in `exports` of package.json. */

import { globSync, readFileSync } from 'node:fs'

const root = new URL('../..', import.meta.url)

/** An entry point of the package. */
export interface EntryPoint {
  /** The name of its files in `dist`, such as `http`; `index` for the package itself. */
  readonly name: string
  /** The specifier that imports it, such as `cofferkit/http`. */
  readonly specifier: string
  /** The path of its source file from the root of the repository, such as `src/http.ts`. */
  readonly source: string
}

/**
 * Returns every entry point, in the order of `exports`. The source of a subpath is the file of that
 * name at the top of `src`, or else the only one in a folder: `storage/sqlite.ts`.
 * @throws Error if no source file, or more than one, has the name of a subpath.
 */
export function entryPoints(): readonly EntryPoint[] {
  const sources = globSync('src/**/*.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return subpaths().map((subpath) => {
    const name = subpath === '.' ? 'index' : subpath.slice('./'.length)
    const atTop = `src/${name}.ts`
    const [source, other] = sources.includes(atTop)
      ? [atTop]
      : sources.filter((path) => path.endsWith(`/${name}.ts`))
    if (source === undefined || other !== undefined)
      throw new Error(`not exactly one source file is named ${name}.ts`)
    return { name, specifier: `cofferkit${subpath.slice(1)}`, source }
  })
}

function subpaths(): readonly string[] {
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  if (typeof manifest !== 'object' || manifest === null || !('exports' in manifest)) return []
  return Object.keys(manifest.exports ?? {}).filter((subpath) => !subpath.endsWith('.json'))
}
