/** Every Node that the package is run under: the oldest of each line that is supported, and the newest. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmInstall, root } from './tarball.mjs'

/** The oldest that is supported, the oldest with `node:sqlite`, and the line after the one that builds the package. */
const versions = { node20: '20.19.0', node22: '22.13.0', node26: '26.9.0' }

/** Version -> path of the program, ascending; the Node that runs this is among them. The others are installed once. */
export function nodes() {
  const cache = join(root, 'node_modules/.cache/nodes')
  const others = Object.entries(versions).map(([name, version]) => ({
    version,
    program: join(cache, 'node_modules', name, 'bin/node'),
  }))
  if (!others.every(({ program }) => existsSync(program))) {
    mkdirSync(cache, { recursive: true })
    const names = Object.keys(versions)
    const dependencies = Object.fromEntries(
      names.map((name) => [name, `npm:node@${versions[name]}`]),
    )
    const allowScripts = Object.fromEntries(['node', ...names].map((name) => [name, true]))
    const manifest = { private: true, allowScripts, dependencies }
    writeFileSync(join(cache, 'package.json'), JSON.stringify(manifest))
    npmInstall(cache)
  }
  const own = { version: process.versions.node, program: process.execPath }
  return [...others, own].sort(
    (one, other) => Number.parseInt(one.version, 10) - Number.parseInt(other.version, 10),
  )
}
