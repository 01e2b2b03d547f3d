/** Packs the package, installs the tarball in an empty folder, checks its files and types, and uses it on every Node. */

import { copyFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { nodes } from './nodes.mjs'
import { inConsumer, root, run } from './tarball.mjs'

const typescript6 = join(root, 'node_modules/typescript/bin/tsc')
const typescript7 = join(root, 'node_modules/typescript-7/bin/tsc')

/** The types of Node, which the folder of the installed package does not have. */
const nodeTypes = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
const deprecated = ['--ignoreDeprecations', '6.0']

/** Projects that use the types of the package: the compiler, its options and the file that it compiles. */
const projects = [
  ['CommonJS', typescript6, ['--module', 'node16', ...nodeTypes], 'subpaths.cts'],
  [
    'CommonJS without esModuleInterop',
    typescript6,
    ['--module', 'node16', '--esModuleInterop', 'false', ...deprecated, ...nodeTypes],
    'subpaths.cts',
  ],
  [
    'CommonJS of TypeScript 4, without exports and esModuleInterop',
    typescript6,
    [
      ...['--module', 'commonjs', '--moduleResolution', 'node10', '--esModuleInterop', 'false'],
      ...deprecated,
      ...nodeTypes,
    ],
    'subpaths.ts',
  ],
  ['CommonJS', typescript7, ['--module', 'nodenext', ...nodeTypes], 'subpaths.cts'],
  ['ES modules', typescript6, ['--module', 'nodenext', ...nodeTypes], 'subpaths.mts'],
  ['ES modules', typescript7, ['--module', 'nodenext', ...nodeTypes], 'subpaths.mts'],
  [
    'a bundler, without the types of Node',
    typescript7,
    ['--module', 'esnext', '--moduleResolution', 'bundler', '--types', ''],
    'portable.ts',
  ],
]

await inConsumer((consumer) => {
  cpSync(join(root, 'test/package'), consumer, { recursive: true })
  run(process.execPath, ['files.mjs'], consumer)
  for (const extension of ['.cts', '.mts'])
    copyFileSync(join(consumer, 'subpaths.ts'), join(consumer, `subpaths${extension}`))
  for (const [name, compiler, options, file] of projects) {
    const common = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022']
    run(process.execPath, [compiler, ...common, ...options, file], consumer)
    console.log(`${name}: ${file} has no type errors`)
  }
  for (const { program } of nodes()) {
    for (const script of ['esm.mjs', 'cjs.cjs']) run(program, [script], consumer)
  }
})
