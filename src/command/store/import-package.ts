/** Imports packages of the user's project: database drivers, which cofferkit does not install. */

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CommandError } from '../command-error.js'

/**
 * Imports a package that is installed in the project of a folder or of one of its parents.
 * @param specifier - The package, or a subpath of it, such as `mysql2/promise`.
 * @returns The exports. Those of a CommonJS package are its `module.exports`.
 * @throws CommandError with the command that installs the package, if it is not installed.
 */
export async function importPackage(
  specifier: string,
  folder: string,
): Promise<Readonly<Record<string, unknown>>> {
  let path: string
  try {
    path = createRequire(join(folder, 'package.json')).resolve(specifier)
  } catch {
    const name = specifier.split('/')[0]
    throw new CommandError(
      `this store needs the package ${name}, which is not installed in ${folder}`,
      `Run: npm install ${name}`,
    )
  }
  const exports: { readonly default?: object } = await import(pathToFileURL(path).href)
  return { ...exports, ...exports.default }
}
