import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { violations } from './support/source/architecture.js'
import { fileCircles, folderCircles } from './support/source/import-circles.js'

const src = join(import.meta.dirname, '../src')
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({
    name: path.replace(/\.tsx?$/, '').replaceAll('\\', '/'),
    text: readFileSync(join(src, path), 'utf8'),
  }))

describe('src', () => {
  it('has exactly these folders and files at the top', () => {
    const folders = new Set(sources.map(({ name }) => name.split('/')[0]))
    expect([...folders].sort()).toEqual([
      'activity',
      'adapters',
      'auth',
      'base',
      'command',
      'core',
      'credentials',
      'dialects',
      'errors',
      'http',
      'import',
      'index',
      'oauth',
      'page',
      'references',
      'rules',
      'schema',
      'seal',
      'storage',
      'store',
      'testing',
      'use',
    ])
  })

  it('follows the architecture rules', () => {
    const found = sources.flatMap(({ name, text }) =>
      violations(name, text).map((violation) => `src/${name}.ts ${violation}`),
    )
    expect(found.join('\n')).toBe('')
  })

  it('has no circle of imports between files or between folders', () => {
    const circles = [...fileCircles(sources), ...folderCircles(sources)]
    expect(circles.join('\n')).toBe('')
  })

  it.each([
    [
      'keeps unwrapped keys',
      /(?<!function )\btoOpenedKeys\(/,
      ['storage/encrypted/keys/key-cache'],
    ],
    ['emits the event of a change', /\bcall\.afterChange\(/, ['core/operation/call']],
    ['creates a web stream', /new ReadableStream/, ['base/blob-content', 'use/clean-response']],
    [
      'turns chunks into a web stream',
      /(?<!function )\btoStream\(/,
      ['adapters/fetch', 'adapters/node/public-fetch', 'core/files/read-file-content'],
    ],
  ])('%s only where it must', (_, pattern, places) => {
    const found = sources.filter(
      ({ name, text }) => !name.startsWith('testing') && pattern.test(text),
    )
    expect(found.map(({ name }) => name).toSorted()).toEqual(places)
  })
})

describe('fileCircles', () => {
  it('finds files that import each other, types included', () => {
    const files = [
      { name: 'a', text: "import { b } from './b/c.js'" },
      { name: 'b/c', text: "import type { D } from '../d.js'" },
      { name: 'd', text: "export { a } from './a.js'" },
      { name: 'e', text: "import { a } from './a.js'" },
    ]
    expect(fileCircles(files)).toEqual(['a <-> b/c <-> d'])
    expect(fileCircles(files.slice(0, 2))).toEqual([])
  })
})

describe('folderCircles', () => {
  it('finds folders whose files import each other', () => {
    const files = [
      { name: 'a/one', text: "import { b } from '../b/one.js'" },
      { name: 'b/one', text: '' },
      { name: 'b/two', text: "import { a } from '../a/two.js'" },
      { name: 'a/two', text: '' },
    ]
    expect(folderCircles(files)).toEqual(['a <-> b'])
    expect(folderCircles(files.slice(0, 2))).toEqual([])
  })

  it('compares no folder with one inside it', () => {
    const files = [
      { name: 'b/one', text: "import { two } from './deep/two.js'" },
      { name: 'b/deep/two', text: "import { three } from '../three.js'" },
      { name: 'b/three', text: '' },
    ]
    expect(folderCircles(files)).toEqual([])
  })
})

describe('violations', () => {
  const header = '/** Does one thing. */\n\n'

  it.each<[string, string, string]>([
    ['core/a', "import { b } from '../storage/memory.js'", 'imports storage/memory'],
    ['core/a', "import type { b } from '../http/message.js'", 'imports http/message'],
    ['core/a', "import {\n  b,\n  c,\n} from '../adapters/node.js'", 'imports adapters/node'],
    ['core/a', "import { b } from '../dialects/connect.js'", 'imports dialects/connect'],
    ['core/a', "const a: import('../auth/tokens.js').StaticToken = b", 'imports auth/tokens'],
    ['core/a', "export { b } from '../index.js'", 'imports index'],
    [
      'adapters/node',
      "import { b } from '../http/create-http-handler.js'",
      'imports http/create-http-handler',
    ],
    ['adapters/node', "import { b } from '../errors.js'", 'imports errors'],
    [
      'http/create-http-handler',
      "import { b } from '../core/access/authorize.js'",
      'imports core/access/authorize',
    ],
    ['http/create-http-handler', "import { b } from '../auth/bearer.js'", 'imports auth/bearer'],
    ['storage/memory', "import { b } from '../schema/item.js'", 'imports schema/item'],
    ['schema/a', "import { b } from '../core/runtime/limits.js'", 'imports core/runtime/limits'],
    ['testing/a', "import { b } from '../core/runtime/random.js'", 'imports core/runtime/random'],
    ['import/a', "import type { b } from '../schema/item.js'", 'imports schema/item'],
    ['page/a', "import { b } from '../http/message.js'", 'imports http/message'],
    ['command/a', "import { b } from '../testing/seed.js'", 'imports testing/seed'],
    ['testing/hostile/a', "import { b } from '../test-vault.js'", 'imports testing/test-vault'],
    ['store', "import { b } from './base/pacer.js'", 'imports base/pacer'],
    ['errors', "import './store.js'", 'imports store'],
    ['core/a', "import { b } from './b'", 'imports ./b without its ending'],
    ['core/a', "import { randomBytes } from 'node:crypto'", 'imports node:crypto'],
    ['adapters/fetch', "const fs = await import('node:fs')", 'imports node:fs'],
    ['testing/a', "import { it } from 'vitest'", 'imports the test runner vitest'],
    ['core/a', "import express from 'express'", 'imports the package express'],
    ['core/a', "import jsonpatch from 'fast-json-patch'", 'imports the package fast-json-patch'],
    [
      'core/patch/json-patch',
      "import { applyPatch } from 'fast-json-patch'",
      'imports fast-json-patch by name',
    ],
    ['http/a', "import * as z from 'zod'", 'imports the package zod'],
    ['auth/jwt', "import { errors } from 'jose'", 'imports the package jose'],
    ['core/a', 'const bytes = Buffer.from([1])', 'uses Buffer'],
    ['http/a', 'const mode = process.env', 'uses process'],
    ['auth/a', "const fs = require('x')", 'uses require'],
    ['storage/sqlite', "console.log('x')", 'writes to the console'],
    ['adapters/node', "process.stderr.write('x')", 'writes to the console'],
    ['command/a', "await records.list('keys', { limit: 1 })", 'reads or writes stored records'],
    ['command/a', "get({ collection: 'keys', id })", 'reads or writes stored records'],
    ['command/a', 'query(`SELECT id FROM blobs`)', 'contains SQL'],
    ['command/a', "database.exec('vacuum')", 'contains SQL'],
    ['http/a', 'const a = defineOptions({})', 'defines options without their interface'],
    ['core/utils', '', 'has a name that says nothing'],
    ['schema/types', '', 'has a name that says nothing'],
    ['core/a', '/** @internal */\nexport const a = 1', 'marks a member as internal'],
  ])('finds the violation in %s: %s', (name, text, violation) => {
    expect(violations(name, header + text)).toContain(violation)
  })

  it('finds a file without a leading comment', () => {
    expect(violations('core/a', 'const a = 1')).toEqual(['does not begin with a comment'])
  })

  it.each([
    ['core/a', "import { b } from './b.js'\nimport type { C } from '../schema/item.js'"],
    ['core/patch/json-patch', "import jsonpatch from 'fast-json-patch'"],
    ['http', "export { bearerAuth } from './auth/bearer.js'"],
    ['adapters/node', "import type { IncomingMessage } from 'node:http'\nBuffer.byteLength('x')"],
    ['core/a', '// the process of a Buffer\nconst a = "require" + \'console\''],
  ])('finds nothing in a valid %s', (name, text) => {
    expect(violations(name, header + text)).toEqual([])
  })
})
