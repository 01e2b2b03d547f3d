/** The Nodes that the package is tested in: the oldest, the running one, and the newest. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run-command.js'
import { npmInstall } from './tarball.js'

/** A Node and the path of its program. */
export interface InstalledNode {
  readonly version: string
  readonly program: string
}

/** The oldest that is supported, and the line after the one that builds the package. */
const versions = ['22.18.0', '26.9.0']

/** Returns them by ascending version, with the running Node. The others are installed once. */
export async function installNodes(): Promise<readonly InstalledNode[]> {
  const cache = join(root, 'node_modules/.cache/nodes')
  const others = versions.map((version) => ({
    version,
    program: join(cache, 'node_modules', `node-${version}`, 'bin/node'),
  }))
  if (!others.every(({ program }) => existsSync(program))) {
    mkdirSync(cache, { recursive: true })
    const dependencies = Object.fromEntries(
      versions.map((version) => [`node-${version}`, `npm:node@${version}`]),
    )
    const allowed = ['node', ...Object.keys(dependencies)]
    const allowScripts = Object.fromEntries(allowed.map((name) => [name, true]))
    const manifest = { private: true, allowScripts, dependencies }
    writeFileSync(join(cache, 'package.json'), JSON.stringify(manifest))
    await npmInstall(cache)
  }
  const own = { version: process.versions.node, program: process.execPath }
  return [...others, own].sort(
    (one, other) => Number.parseInt(one.version, 10) - Number.parseInt(other.version, 10),
  )
}
