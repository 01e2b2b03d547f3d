/** Proves that the tests of this run execute the built files, of one module system. */

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCaller } from '../../src/index.js'
import { entryPoints } from '../../tools/scripts/entry-points.js'

const { BUILT_FOLDER: dist = '', BUILT_EXTENSION: extension = '' } = process.env
const require = createRequire(import.meta.url)
const builtFiles = () => Object.keys(require.cache).filter((path) => path.startsWith(dist))

describe(`the files of the package that end in ${extension}`, () => {
  it('are executed', () => {
    const frames = stackOf(() => Reflect.apply(createCaller, undefined, ['wendy', 'all']))
    expect(frames[0]).toMatch(/argumentError/)
    expect(frames).toContainEqual(expect.stringMatching(/createCaller/))
    for (const frame of frames.slice(0, 2)) {
      expect(frame).toContain(dist)
      expect(frame).toMatch(RegExp(`\\${extension}:\\d+:\\d+\\)$`))
    }
  })

  it('are modules of CommonJS only if they end in .cjs', () => {
    const expected = extension === '.cjs' ? expect.arrayContaining([join(dist, 'index.cjs')]) : []
    expect(builtFiles()).toEqual(expected)
  })

  it.each(entryPoints())('are what tests import as $specifier', async ({ name, specifier }) => {
    const built = { ...require(join(dist, name + extension)) }
    expect(Object.keys(built)).not.toEqual([])
    const imported = await import(specifier)
    for (const [key, value] of Object.entries(built)) expect(imported[key]).toBe(value)
  })
})

/** Returns the lines of the stack of the error that a call throws, from the innermost. */
function stackOf(call: () => unknown): readonly string[] {
  try {
    call()
  } catch (error) {
    return error instanceof Error ? (error.stack ?? '').split('\n').slice(1) : []
  }
  return []
}
