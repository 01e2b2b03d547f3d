/** Projects of users that are compiled against the packed package. */

import { join } from 'node:path'
import { packageFolder } from './integrations.js'

/** A project: what it is, and the arguments with which Node compiles it. */
export interface ConsumerProject {
  readonly name: string
  readonly args: readonly string[]
  /** Packages of ours that the project and all after it have as well. */
  readonly links?: readonly string[]
}

const packages = join(import.meta.dirname, '../../node_modules')
/** The oldest compiler that docs/runtimes.md promises. */
const typescript51 = join(packageFolder('typescript-5'), 'bin/tsc')
const typescript6 = join(packages, 'typescript/bin/tsc')
const typescript7 = join(packages, 'typescript-7/bin/tsc')

/**
 * Options of every project. `skipLibCheck` is off, so that errors in our declarations are found.
 */
const common = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022']

/**
 * The types of Node come from our own `node_modules`. The folder of the consumer does not have
 * them.
 */
const nodeTypes = ['--types', 'node', '--typeRoots', join(packages, '@types')]
const withoutInterop = ['--esModuleInterop', 'false', '--ignoreDeprecations', '6.0']
const node16 = ['--module', 'node16', ...nodeTypes]
const nodenext = ['--module', 'nodenext', ...nodeTypes]
const node10 = ['--module', 'commonjs', '--moduleResolution', 'node10', ...nodeTypes]
/** The types of frameworks have errors of their own. */
const withFrameworks = [...nodenext, '--skipLibCheck', 'true', 'logins.mts']
const exact = '--exactOptionalPropertyTypes'
const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler']
const withoutTypes = ['--types', '']

/**
 * The files are those of `test/package`. `subpaths.cts` and the files that end in `.mts` are copies of
 * `subpaths.ts`, `logins.ts` and `matchers.ts`: the ending decides whether TypeScript treats a file as CommonJS
 * or as an ES module.
 */
export const consumerProjects: readonly ConsumerProject[] = [
  {
    name: 'CommonJS, TypeScript 5.1',
    args: [typescript51, ...common, ...node16, exact, 'subpaths.cts'],
  },
  {
    name: 'ES modules, TypeScript 5.1',
    args: [typescript51, ...common, ...nodenext, exact, 'subpaths.mts'],
  },
  {
    name: 'a bundler, without the types of Node, TypeScript 5.1',
    args: [typescript51, ...common, ...bundler, exact, 'portable.ts'],
  },
  {
    name: 'CommonJS, TypeScript 6',
    args: [typescript6, ...common, ...node16, 'subpaths.cts'],
  },
  {
    name: 'CommonJS without esModuleInterop, TypeScript 6',
    args: [typescript6, ...common, ...node16, ...withoutInterop, 'subpaths.cts'],
  },
  {
    name: 'CommonJS without esModuleInterop and exports, TypeScript 6',
    args: [typescript6, ...common, ...node10, ...withoutInterop, 'subpaths.ts'],
  },
  {
    name: 'CommonJS, TypeScript 7',
    args: [typescript7, ...common, ...nodenext, 'subpaths.cts'],
  },
  {
    name: 'ES modules, TypeScript 6',
    args: [typescript6, ...common, ...nodenext, 'subpaths.mts'],
  },
  {
    name: 'ES modules, TypeScript 7',
    args: [typescript7, ...common, ...nodenext, 'subpaths.mts'],
  },
  {
    name: 'a bundler, without the types of Node',
    args: [typescript7, ...common, ...bundler, ...withoutTypes, 'portable.ts'],
  },
  {
    name: 'the requests of frameworks, TypeScript 7',
    args: [typescript7, ...common, ...withFrameworks],
    links: [
      ...['express-jwt', 'fastify', 'hono'],
      ...['@types/express', '@types/express-session', '@types/koa', '@types/passport'],
    ],
  },
  {
    name: 'the requests of frameworks, TypeScript 6',
    args: [typescript6, ...common, ...withFrameworks],
  },
  {
    name: 'the matchers in Vitest, TypeScript 7',
    args: [typescript7, ...common, ...nodenext, '--skipLibCheck', 'true', 'matchers.mts'],
    links: ['vitest'],
  },
]
