/** Checks the files of the installed package. */

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as core from 'cofferkit'
import { subpathNames } from './check-subpaths.cjs'

const maxFiles = 154

const dist = join(import.meta.dirname, 'node_modules/cofferkit/dist')
const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
const textOf = (path) => readFileSync(path, 'utf8')

const kinds = Object.groupBy(files, (path) => /\.(?:d\.c?ts|[a-z]+)$/.exec(path)[0])
const counts = Object.entries(kinds).map(([kind, paths]) => `${paths.length} ${kind}`)
console.log(`dist has ${files.length} files: ${counts.join(', ')}`)
assert.ok(files.length <= maxFiles, `dist has more than ${maxFiles} files`)

// A source map must not lead to a file that is not in the package.
const maps = files.filter((path) => path.endsWith('.map'))
for (const map of maps) {
  const { sources, sourcesContent } = JSON.parse(textOf(map))
  for (const [index, source] of sources.entries())
    assert.ok(
      sourcesContent?.[index] ?? existsSync(join(dirname(map), source)),
      `${map}: ${source}`,
    )
}
for (const path of files.filter((name) => !maps.includes(name))) {
  const [, map] = /^\/\/# sourceMappingURL=(\S+)$/m.exec(textOf(path)) ?? []
  if (map !== undefined) assert.ok(existsSync(join(dirname(path), map)), `${path}: ${map}`)
}

// Types come from the package itself or from Node, except those of an optional peer.
const peers = { 'arbitrary-types.d.ts': 'fast-check', 'arbitrary-types.d.cts': 'fast-check' }
for (const path of files.filter((name) => /\.d\.c?ts$/.test(name))) {
  const declarations = textOf(path).replace(/\/\*.*?\*\//gs, '')
  const imported = [...declarations.matchAll(/\b(?:from|import)\s*\(?'([^']+)'/g)]
  for (const [, specifier] of imported) {
    if (specifier === peers[basename(path)]) continue
    assert.match(specifier, /^(?:\.{1,2}\/|node:)/, `${path} imports ${specifier}`)
    if (specifier.startsWith('.'))
      assert.ok(files.includes(join(dirname(path), specifier.replace(/\.(c?)js$/, '.d.$1ts'))))
  }
}

// The projects that use the types import every subpath.
const projects = ['subpaths.ts', 'peers.ts'].map((name) => textOf(join(import.meta.dirname, name)))
const imported = new Set(projects.join('').match(/cofferkit(?:\/\w+)*/g))
for (const name of subpathNames)
  assert.ok(imported.has(name === 'index' ? 'cofferkit' : `cofferkit/${name}`), name)

// A stack trace points to the line of a file in the package.
for (const exports of [core, createRequire(import.meta.url)('cofferkit')]) {
  const error = thrownBy(() => exports.createCaller('wendy', 'all'))
  const [, file, line] = /(?:\(|at )((?:file:)?\/\S*cofferkit\/dist\S*?):(\d+):\d+\)?$/m.exec(
    error.stack,
  )
  const path = file.startsWith('file:') ? fileURLToPath(file) : file
  assert.match(textOf(path).split('\n')[line - 1], /new TypeError/)
}

function thrownBy(call) {
  try {
    call()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
