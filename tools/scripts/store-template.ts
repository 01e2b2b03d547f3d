/** Copies the template of `docs/writing-a-store.md`, and runs its tests like a reader of the page. */

import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { programPath } from './integrations.js'
import { root } from './run-command.js'

const packages = join(root, 'node_modules')

/** Each program of the template with its arguments, to be run in its folder. */
export const templatePrograms = {
  typecheck: [process.execPath, join(packages, 'typescript/bin/tsc')],
  build: [process.execPath, join(packages, 'typescript/bin/tsc'), '-p', 'tsconfig.build.json'],
  vitest: [process.execPath, join(packages, 'vitest/vitest.mjs'), 'run', '--reporter=verbose'],
  node: [process.execPath, '--test', '--test-reporter=spec', 'test/node/store.test.ts'],
  bun: [programPath('bun'), 'test', 'test/vitest'],
  deno: [programPath('deno'), 'test', '--allow-all', '--no-check', 'test/node'],
} as const

/**
 * Copies the template into `folder`, and links the packages that it needs except `cofferkit`, so
 * that nothing is downloaded.
 */
export function copyTemplate(folder: string): void {
  cpSync(join(root, 'examples/store-template'), folder, { recursive: true })
  for (const name of ['@types/node', 'vitest']) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(packages, name), link)
  }
}
