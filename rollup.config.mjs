import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, transform } from 'esbuild'
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
  base: /^src\/(?:errors\/)?(?!seed)[\w-]+\.ts$|^src\/core\/access\/caller/,
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
  // Jest runs CommonJS where no module can be imported on demand, only required.
  dynamicImportInCjs: false,
})

/** Packages whose code becomes a part of the command, so that they are not installed with it. */
const commandPackages = ['@clack/prompts', '@stricli/core', 'age-encryption']

/** Files with the text of licenses, for packages that do not contain it. */
const texts = { 'Apache-2.0': 'node_modules/typescript/LICENSE.txt' }

/** The folders of packages whose licenses belong to the command. */
const bundledFolders = new Set()

const bundleCommandPackages = {
  name: 'bundle-command-packages',
  resolveId: (id) => (commandPackages.includes(id) ? `\0${id}` : undefined),
  async load(id) {
    if (!id.startsWith('\0')) return undefined
    const stdin = { contents: `export * from '${id.slice(1)}'`, resolveDir: import.meta.dirname }
    const options = {
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      write: false,
    }
    const { outputFiles, metafile } = await build({ stdin, ...options, metafile: true })
    for (const path of Object.keys(metafile.inputs)) {
      const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
      if (folder !== undefined) bundledFolders.add(folder)
    }
    return outputFiles[0].text
  },
  generateBundle() {
    const licenses = [...bundledFolders].sort().map((folder) => {
      const name = folder.replace(/^.*node_modules\//, '')
      const file = readdirSync(folder).find((path) => /^licen[cs]e/i.test(path))
      const { license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
      const text = readFileSync(file === undefined ? texts[license] : `${folder}/${file}`, 'utf8')
      return `${name}\n\n${text.trim()}\n`
    })
    const source = licenses.join(`\n${'-'.repeat(80)}\n\n`)
    this.emitFile({ type: 'asset', fileName: 'command/licenses.txt', source })
  },
}

/** The command imports the library by the names of its entry points. */
const importEntryPoints = {
  name: 'import-entry-points',
  resolveId(id, importer) {
    if (!id.startsWith('.') || importer === undefined) return undefined
    const url = new URL(id.replace(/\.js$/, '.ts'), pathToFileURL(importer))
    const path = relative(import.meta.dirname, fileURLToPath(url))
      .split(sep)
      .join('/')
    const entry = entries.find(({ source }) => source === path)
    return entry && { id: entry.specifier, external: true }
  },
}

/** Returns the name of the file of a module of the command: one per folder, and one per package. */
function commandChunk(id) {
  const name = id.replace('\0', '')
  if (commandPackages.includes(name))
    return name === '@stricli/core' ? 'shared' : name.replace(/^@|\/.*$/g, '')
  const [, folder] = /\/src\/command\/(serve|setup|data|secrets|maintenance)\//.exec(id) ?? []
  return folder ?? (id.endsWith('src/command.ts') ? undefined : 'shared')
}

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
  {
    input: { command: 'src/command.ts' },
    external: (id) => external(id) && !commandPackages.includes(id) && !id.startsWith('\0'),
    treeshake: { moduleSideEffects: (id) => id.endsWith('src/command.ts') },
    plugins: [bundleCommandPackages, importEntryPoints, removeTypes],
    output: {
      dir: 'dist',
      format: 'esm',
      banner: (chunk) => (chunk.name === 'command' ? '#!/usr/bin/env node' : ''),
      entryFileNames: '[name].js',
      chunkFileNames: 'command/[name].js',
      manualChunks: commandChunk,
      hoistTransitiveImports: false,
      minifyInternalExports: false,
    },
  },
]
