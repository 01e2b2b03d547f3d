import { rmSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import { dts } from 'rollup-plugin-dts'
import { entryPoints } from './scripts/entry-points.ts'

const entries = entryPoints()
const input = Object.fromEntries(entries.map(({ name, source }) => [name, source]))
const external = (id) => !/^(?:\.|\/|[A-Za-z]:)/.test(id)

/**
 * Code that several entry points use. Each line becomes one file in `dist/shared`. The last line
 * that matches counts.
 */
const sharedCode = {
  core: /^src\/(?:core\/|schema\/|dialects\/contract)/,
  totp: /^src\/dialects\/connect\/totp/,
  http: /^src\/(?:http\/|auth\/bearer)/,
  mounts: /^src\/adapters\/(?:node\/|strip-prefix)/,
  storage: /^src\/storage\/sql\//,
  // Imports node:fs, which the stores that run in workers do not need.
  files: /^src\/storage\/file-owner/,
  base: /^src\/(?:errors\/)?[\w-]+\.ts$|^src\/core\/access\/caller/,
  seed: /^src\/seed\.ts$/,
  drafts: /^src\/testing\/drafts\//,
}

/**
 * The same for types. Those of Node stay in a file of their own: `cofferkit` itself needs no
 * `@types/node`.
 */
const sharedTypes = {
  types: /^src\/(?!adapters\/)/,
  'node-types': /^src\/adapters\/(?:node|fastify)\//,
  // The types of fast-check, which only those who use the arbitraries have installed.
  'arbitrary-types': /^src\/testing\/arbitraries\//,
}

/** Returns the name of the shared file that a module belongs to; undefined for an entry point. */
const manualChunks = (shared) => (id) => {
  const path = relative(import.meta.dirname, id)
    .split(sep)
    .join('/')
  if (entries.some(({ source }) => source === path)) return undefined
  return Object.keys(shared).findLast((name) => shared[name].test(path))
}

/** Removes the types, and keeps the names of classes. */
const removeTypes = {
  name: 'remove-types',
  resolveId: (id, importer) =>
    id.startsWith('.') && importer !== undefined
      ? fileURLToPath(new URL(id.replace(/\.js$/, '.ts'), pathToFileURL(importer)))
      : undefined,
  transform: async (text) => ({
    code: (await transform(text, { loader: 'ts', target: 'es2023' })).code,
  }),
}

const removeOldBuild = {
  name: 'remove-old-build',
  buildStart: () => rmSync('dist', { recursive: true, force: true }),
}

const output = (format, extension, shared) => ({
  dir: 'dist',
  format,
  entryFileNames: `[name].${extension}`,
  chunkFileNames: `shared/[name].${extension}`,
  manualChunks: manualChunks(shared),
  hoistTransitiveImports: false,
  minifyInternalExports: false,
  // Jest runs CommonJS where no module can be imported on demand, only required.
  dynamicImportInCjs: false,
})

/**
 * Each entry point becomes one file in `dist` for each module system, and its types. The code is
 * not minified and has no source maps: a stack trace points to lines of files that are in the
 * package.
 */
export default [
  {
    input,
    external,
    treeshake: { moduleSideEffects: false },
    plugins: [removeOldBuild, removeTypes],
    output: [output('esm', 'js', sharedCode), output('cjs', 'cjs', sharedCode)],
  },
  {
    input,
    external,
    plugins: [dts()],
    output: [output('esm', 'd.ts', sharedTypes), output('esm', 'd.cts', sharedTypes)],
  },
]
