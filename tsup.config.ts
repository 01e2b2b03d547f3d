import { defineConfig, type Options } from 'tsup'
import { bundledLicenses } from './tools/scripts/bundled-licenses.ts'
import { entryPoints } from './tools/scripts/entry-points.ts'
import { keepImports, sourcesOf } from './tools/scripts/separate-files.ts'

const entry = Object.fromEntries(entryPoints().map(({ name, source }) => [name, source]))
const common: Options = { entry, target: 'es2023', removeNodeProtocol: false }

/**
 * Code that entry points share exists once per module system: in chunks as ES modules, in a file
 * for each source as CommonJS. The code of dependencies is not included; that of devDependencies
 * is, so that nobody has to install them.
 */
export default defineConfig([
  {
    ...common,
    entry: { ...entry, command: 'src/command.ts' },
    format: 'esm',
    esbuildPlugins: [bundledLicenses],
  },
  {
    ...common,
    entry: await sourcesOf(entry),
    format: 'cjs',
    splitting: false,
    esbuildPlugins: [keepImports],
    // Jest runs CommonJS where no module can be imported on demand, only required.
    esbuildOptions: (options) => {
      options.supported = { 'dynamic-import': false }
    },
  },
  { ...common, format: ['esm', 'cjs'], dts: { only: true } },
])
