import { defineConfig, type Options } from 'tsup'
import { entryPoints } from './tools/scripts/entry-points.ts'
import { nameBundled } from './tools/scripts/name-bundled.ts'
import { keepImports, sourcesOf } from './tools/scripts/separate-files.ts'

const entry = Object.fromEntries(entryPoints().map(({ name, source }) => [name, source]))

/**
 * Dependencies that are only ES modules, which Jest cannot load by `require`. A single source
 * imports each of them, so that the CommonJS format has one copy.
 */
const onlyAsEsModules = ['@noble/ciphers', 'jose']

const common: Options = { entry, target: 'es2023', removeNodeProtocol: false }

/**
 * Code that entry points share exists once per module system: in chunks as ES modules, in a file
 * for each source as CommonJS. The code of devDependencies is included, so that nobody has to
 * install them. That of dependencies is not, except in CommonJS for those that are ES modules.
 */
export default defineConfig([
  {
    ...common,
    entry: { ...entry, command: 'src/command.ts' },
    format: 'esm',
    esbuildPlugins: [nameBundled],
  },
  {
    ...common,
    entry: await sourcesOf(entry),
    format: 'cjs',
    splitting: false,
    noExternal: onlyAsEsModules,
    esbuildPlugins: [keepImports, nameBundled],
    // Jest runs CommonJS where no module can be imported on demand, only required.
    esbuildOptions: (options) => {
      options.supported = { 'dynamic-import': false }
    },
  },
  { ...common, format: ['esm', 'cjs'], dts: { only: true } },
])
