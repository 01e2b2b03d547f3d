/** Packs the package, installs the tarball in an empty folder and uses it under plain Node 20, 22 and 24. */

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const consumer = mkdtempSync(join(tmpdir(), 'cofferkit-smoke-'))

try {
  installTarball()
  for (const node of nodes()) {
    for (const program of ['esm.mjs', 'cjs.cjs']) run(node, [program], consumer)
  }
} finally {
  rmSync(consumer, { recursive: true, force: true })
}

function installTarball() {
  run('npm', ['pack', '--silent', '--pack-destination', consumer], root)
  const tarball = readdirSync(consumer).find((name) => name.endsWith('.tgz'))
  writeFileSync(join(consumer, 'package.json'), '{ "private": true }\n')
  npmInstall(consumer, [`./${tarball}`])
  cpSync(join(root, 'test/package'), consumer, { recursive: true })
}

/** The oldest Node that is supported, the oldest with `node:sqlite`, and the one that builds the package. */
function nodes() {
  const cache = join(root, 'node_modules/.cache/smoke-nodes')
  const versions = { node20: 'npm:node@20.19.0', node22: 'npm:node@22.13.0' }
  const found = Object.keys(versions).map((name) => join(cache, 'node_modules', name, 'bin/node'))
  if (!found.every((path) => existsSync(path))) {
    mkdirSync(cache, { recursive: true })
    const allowScripts = { node: true, node20: true, node22: true }
    writeFileSync(
      join(cache, 'package.json'),
      JSON.stringify({ private: true, allowScripts, dependencies: versions }),
    )
    npmInstall(cache, [])
  }
  return [...found, process.execPath]
}

function npmInstall(folder, packages) {
  const quiet = ['--silent', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline']
  run('npm', ['install', ...quiet, ...packages], folder)
}

function run(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
}
