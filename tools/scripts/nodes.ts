/** The Nodes that the package is tested in: the oldest of each supported line, and the newest. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run-command.js'
import { npmInstall } from './tarball.js'

/** A Node and the path of its program. */
export interface InstalledNode {
  readonly version: string
  readonly program: string
}

/**
 * The oldest that is supported, the oldest with `node:sqlite`, and the line after the one that
 * builds the package.
 */
const versions = { node20: '20.19.0', node22: '22.13.0', node26: '26.9.0' }

/** Returns them by ascending version, with the running Node. The others are installed once. */
export async function installNodes(): Promise<readonly InstalledNode[]> {
  const cache = join(root, 'node_modules/.cache/nodes')
  const others = Object.entries(versions).map(([name, version]) => ({
    version,
    program: join(cache, 'node_modules', name, 'bin/node'),
  }))
  if (!others.every(({ program }) => existsSync(program))) {
    mkdirSync(cache, { recursive: true })
    const dependencies = Object.fromEntries(
      Object.entries(versions).map(([name, version]) => [name, `npm:node@${version}`]),
    )
    const allowed = ['node', ...Object.keys(versions)]
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
