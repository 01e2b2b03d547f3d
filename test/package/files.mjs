/** Checks the files of the installed package. */

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as core from 'cofferkit'

const dist = join(import.meta.dirname, 'node_modules/cofferkit/dist')
const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
const textOf = (path) => readFileSync(path, 'utf8')

const kinds = Object.groupBy(files, (path) => /\.(?:d\.c?ts|[a-z]+)$/.exec(path)[0])
const counts = Object.entries(kinds).map(([kind, paths]) => `${paths.length} ${kind}`)
console.log(`dist has ${files.length} files: ${counts.join(', ')}`)

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

// Code comes from the package itself, from Node or from a dependency.
const { dependencies } = createRequire(import.meta.url)('cofferkit/package.json')
for (const path of files.filter((name) => /\.c?js$/.test(name))) {
  const imported = textOf(path).matchAll(
    /^(?:import|export|\})(?:[^"'`]* from)? "([^"]+)"|\b(?:import|require)\("([^"]+)"\)/gm,
  )
  for (const [, fromSpecifier, specifier = fromSpecifier] of imported) {
    const [, name] = /^((?:@[^/]+\/)?[^/]+)/.exec(specifier)
    assert.ok(
      /^(?:\.|node:|cofferkit\b)/.test(specifier) || Object.hasOwn(dependencies, name),
      `${path} imports ${specifier}`,
    )
  }
}

// What is bundled is named. esbuild writes the path of each file above its code; the script of the
// page is minified, so it has no paths, but a comment with the license of Preact.
const bill = JSON.parse(textOf(join(dist, 'sbom.cdx.json')))
const named = bill.components.map(({ group, name, version }) => {
  assert.match(version, /^\d+\.\d+\.\d+/)
  return group === undefined ? name : `${group}/${name}`
})
const folders = files
  .filter((name) => /\.c?js$/.test(name))
  .flatMap((path) => [...textOf(path).matchAll(/^ *\/\/ (node_modules\/\S+)$/gm)])
  .map(([, path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)[0])
const bundled = [...new Set(folders)].map((path) => path.replace(/^.*node_modules\//, ''))
assert.match(textOf(join(dist, 'page.js')), /The script contains Preact/)
assert.deepEqual(named.toSorted(), [...bundled, 'preact'].toSorted())
const licenses = textOf(join(dist, 'licenses.txt')).split(/^-{80}\n\n/m)
assert.deepEqual(
  licenses.map((text) => text.split('\n')[0]),
  bill.components.map(({ version }, index) => `${named[index]} ${version}`),
)
console.log(`dist contains code of ${named.length} packages, which it names`)

// Types come from the package itself or from Node.
for (const path of files.filter((name) => /\.d\.c?ts$/.test(name))) {
  const declarations = textOf(path).replace(/\/\*.*?\*\//gs, '')
  const imported = [...declarations.matchAll(/\b(?:from|import)\s*\(?'([^']+)'/g)]
  for (const [, specifier] of imported) {
    assert.match(specifier, /^(?:\.{1,2}\/|node:)/, `${path} imports ${specifier}`)
    if (specifier.startsWith('.'))
      assert.ok(files.includes(join(dirname(path), specifier.replace(/\.(c?)js$/, '.d.$1ts'))))
  }
}

// A stack trace points to the line of a file in the package.
for (const exports of [core, createRequire(import.meta.url)('cofferkit')]) {
  const error = thrownBy(() => exports.createCaller({ id: 'wendy', vaults: 'all' }))
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
