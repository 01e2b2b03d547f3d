import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const src = join(import.meta.dirname, '../../src')

/** Returns the source files that are loaded with a file: those it imports as values, and so on. */
function loadedWith(path: string, found = new Set<string>()): Set<string> {
  const text = readFileSync(path, 'utf8')
  for (const [, names = '', specifier = ''] of text.matchAll(
    /^import (?!type )([^'(]*?)(?: from )?'(\.[^']+\.js)'$/gm,
  )) {
    const isOfTypes = /^\{\s*(?:type \w+,?\s*)+\}$/.test(names)
    const target = resolve(dirname(path), specifier.replace(/\.js$/, '.ts'))
    if (isOfTypes || found.has(target)) continue
    found.add(target)
    // The library itself is loaded in any case.
    if (target !== join(src, 'index.ts')) loadedWith(target, found)
  }
  return found
}

describe('runCommandLine', () => {
  it('loads the heavy parts of the library only when a command runs', () => {
    const loaded = [...loadedWith(join(src, 'command.ts'))].map((path) => relative(src, path))
    expect(loaded).toContain('command/serve.ts')
    const others = loaded.filter((name) => !/^(?:command|base)\//.test(name)).sort()
    expect(others).toEqual(['index.ts'])
  })
})
