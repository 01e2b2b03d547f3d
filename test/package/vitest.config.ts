/**
 * Runs the contracts of the core, of HTTP on every mount and of stores on the built package, as ES
 * modules; as CommonJS, which differs only in how files import each other and their dependencies,
 * that of the core, of one mount and of one store. `PACKAGE_FOLDER` is the folder of the package, that of the project if
 * absent.
 */

import { dirname, join } from 'node:path'
import { defineConfig, type Plugin, type TestProjectInlineConfiguration } from 'vitest/config'
import { entryPoints } from '../../tools/scripts/entry-points.ts'

const root = join(import.meta.dirname, '../..')
const dist = join(process.env['PACKAGE_FOLDER'] ?? root, 'dist')

/** Resolves entry points, imported by their names or as sources, to the built files. */
function resolveToBuild(extension: string): Plugin {
  const files = new Map(
    entryPoints().flatMap(({ name, specifier, source }) => {
      const file = join(dist, name + extension)
      return [[specifier, file] as const, [join(root, source), file] as const]
    }),
  )
  return {
    name: 'resolve-to-build',
    enforce: 'pre',
    resolveId(id, importer = '') {
      const isSource = id.startsWith('.')
      return files.get(isSource ? join(dirname(importer), id.replace(/\.js$/, '.ts')) : id)
    },
  }
}

function project(
  name: string,
  extension: '.js' | '.cjs',
  include: readonly string[],
): TestProjectInlineConfiguration {
  return {
    extends: true,
    plugins: [resolveToBuild(extension)],
    test: {
      name,
      env: { BUILT_FOLDER: dist, BUILT_EXTENSION: extension },
      include: ['test/contract/*.test.ts', 'test/package/built-files.test.ts', ...include],
    },
  }
}

// biome-ignore lint/style/noDefaultExport: Vitest requires it.
export default defineConfig({
  root,
  test: {
    projects: [
      project('ES modules', '.js', [
        'test/adapters/{every-mount,fetch,node}.contract.test.ts',
        'test/storage/{memory,sqlite,encrypted,encrypted.sqlite}.test.ts',
      ]),
      project('CommonJS', '.cjs', [
        'test/adapters/node.contract.test.ts',
        'test/storage/encrypted.test.ts',
      ]),
    ],
    // Node itself loads the built files.
    server: { deps: { external: [/\/dist\//] } },
    // The cache of modules does not distinguish the two ways in which entry points are resolved.
    fsModuleCache: false,
    setupFiles: 'test/support/set-up-file.ts',
    isolate: false,
    testTimeout: 60_000,
    taskTitleValueFormatTruncate: 0,
  },
})
