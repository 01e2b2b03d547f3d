/**
 * The package and its command, bundled once before `npm run test:all`. A process of Node starts twice as
 * fast with it as with the sources, and the integration tests start hundreds of processes.
 */

import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { openApiNames, openApiText } from '../../../../tools/openapi/documents.js'
import { entryPoints } from '../../../../tools/scripts/entry-points.js'

/** The folder of the bundle. It is in the package, whose `package.json` the command reads. */
const folder = resolve('reports/bundle')

/** The URL of the module that resolves `cofferkit` and its subpaths to the bundle. Load it with `--import`. */
const registerBundle = pathToFileURL(join(import.meta.dirname, 'register-bundle.mjs')).href

/** Runs a program whose `cofferkit` is the bundle: `node ...bundleFlags program.ts`. */
export const bundleFlags = ['--import', registerBundle]

/** Runs the command: `node ...commandLine serve`. */
export const commandLine = [...bundleFlags, join(folder, 'command.js')]

/** Runs before all tests. A file that has not changed is not written, because another run may read it. */
export async function setup(): Promise<void> {
  // Processes that tests start inherit it. It saves a fifth of their start.
  process.env['NODE_COMPILE_CACHE'] = resolve('node_modules/.cache/compiled')
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const points = entryPoints().map(({ name, source }) => [name, source])
  const { outputFiles } = await build({
    entryPoints: { ...Object.fromEntries(points), command: 'src/command.ts' },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    external: Object.keys(dependencies),
    write: false,
  })
  for (const { path, text } of outputFiles) writeChanged(path, text)
  for (const name of openApiNames) writeChanged(join(folder, name), openApiText(name))
  const written = new Set(outputFiles.map(({ path }) => path))
  for (const path of globSync(join(folder, '**/*.js'))) if (!written.has(path)) rmSync(path)
}

function writeChanged(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  if (text !== textOf(path)) writeFileSync(path, text)
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
