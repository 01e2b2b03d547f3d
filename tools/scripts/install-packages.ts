/** Installs the packages of a folder that has its own lock file. */

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runCommand } from './run-command.js'

/**
 * Installs the packages of `folder`, a path from the folder of the project, if they are missing or
 * not those of its lock file.
 */
export async function installPackages(folder: string): Promise<void> {
  const cwd = join(root, folder)
  const stamp = join(cwd, 'node_modules/.installed')
  const wanted = createHash('sha256')
    .update(readFileSync(join(cwd, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.log(`Installing the packages of ${folder} …`)
  await runCommand('npm', ['ci', '--no-audit', '--no-fund'], { cwd })
  writeFileSync(stamp, wanted)
}
