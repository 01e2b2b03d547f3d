import { readFileSync, rmSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import { dts } from 'rollup-plugin-dts'
import { entryPoints } from './scripts/entry-points.ts'

const entries = entryPoints()
const input = Object.fromEntries(entries.map(({ name, source }) => [name, source]))
/** Packages that become a part of `dist`, so that nobody has to install them. */
const bundled = /^fflate\//
const external = (id) => !/^(?:\.|\/|[A-Za-z]:)/.test(id) && !bundled.test(id)

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
}

/**
 * The same for types. Those of Node stay in a file of their own: `cofferkit` itself needs no
 * `@types/node`.
 */
const sharedTypes = {
  types: /^src\/(?!adapters\/)/,
  'node-types': /^src\/adapters\/(?:node|fastify)\//,
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

/** Finds bundled packages, and puts their licenses in front of their code. */
const bundlePackages = {
  name: 'bundle-packages',
  resolveId: (id) => (bundled.test(id) ? fileURLToPath(import.meta.resolve(id)) : undefined),
  transform(code, id) {
    const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(id.split(sep).join('/')) ?? []
    if (folder === undefined) return undefined
    const { name } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
    const license = readFileSync(`${folder}LICENSE`, 'utf8').trim()
    return { code, meta: { license: `/*!\n${name}\n\n${license}\n*/\n` } }
  },
  renderChunk(code, { modules }) {
    const infos = Object.keys(modules).map((id) => this.getModuleInfo(id)?.meta.license)
    return [...new Set(infos)].filter((license) => license !== undefined).join('') + code
  },
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
    plugins: [removeOldBuild, bundlePackages, removeTypes],
    output: [output('esm', 'js', sharedCode), output('cjs', 'cjs', sharedCode)],
  },
  {
    input,
    external,
    plugins: [dts()],
    output: [output('esm', 'd.ts', sharedTypes), output('esm', 'd.cts', sharedTypes)],
  },
]
