/** Builds a file for each source file, as CommonJS. */

import { dirname, posix, relative, resolve, sep } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { entryPoints } from './entry-points.ts'

const entryNames = new Map(entryPoints().map(({ source, name }) => [source, name]))

/**
 * Returns the sources that entry points need at run time, by the names of their files in `dist`:
 * `memory` for the entry point `src/storage/memory.ts`, `core/filter/parse-filter` for
 * `src/core/filter/parse-filter.ts`. A source that only declares types is not among them.
 */
export async function sourcesOf(entry: Record<string, string>): Promise<Record<string, string>> {
  const { metafile } = await build({
    entryPoints: entry,
    outdir: 'dist',
    write: false,
    bundle: true,
    packages: 'external',
    platform: 'node',
    metafile: true,
  })
  return Object.fromEntries(Object.keys(metafile.inputs).map((source) => [nameOf(source), source]))
}

/** Imports of source files stay imports, of the files that are built from them. */
export const keepImports: Plugin = {
  name: 'keep-imports',
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point' || importer.includes('node_modules')) return undefined
      const source = resolve(dirname(importer), path.replace(/\.js$/, '.ts'))
      const folder = posix.dirname(nameOf(importer))
      return { path: `./${posix.relative(folder, `${nameOf(source)}.cjs`)}`, external: true }
    })
  },
}

/** Returns the name of the file in `dist` that is built from this source. */
function nameOf(source: string): string {
  const path = relative('.', source).replaceAll(sep, '/')
  return entryNames.get(path) ?? path.replace(/^src\/|\.ts$/g, '')
}
