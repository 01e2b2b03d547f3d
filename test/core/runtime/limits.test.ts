import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkCount,
  checkCounts,
  checkFileName,
  checkSize,
  checkStrings,
  checkStringsOf,
  limitOptions,
} from '../../../src/core/runtime/limits.js'
import { createVaultService } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { codePoint } from '../../support/arbitraries/strings.js'
import { loginDraft } from '../../support/drafts.js'
import {
  type Body,
  buildFromBody,
  captureIssues,
  createBuildContext,
  storedItem,
} from '../../support/items/item-builders.js'
import { invalid } from '../../support/service/rejections.js'

const defaults = {
  fields: 1000,
  sections: 100,
  urls: 100,
  tags: 100,
  files: 100,
  fileNameCharacters: 255,
  filterWordCharacters: 250,
  inlinedBytes: 4_194_304,
  getItemsBytes: 16_777_216,
  itemBytes: 2_097_152,
  stringBytes: 65_536,
  patchOperations: 256,
  depth: 32,
}

function arrayOf(length: number, make: (index: number) => unknown): unknown[] {
  return Array.from({ length }, (_, index) => make(index))
}

const lists: readonly (readonly [string, (index: number) => unknown])[] = [
  ['fields', (index) => ({ id: `${index}` })],
  ['sections', (index) => ({ id: `${index}` })],
  ['urls', () => ({ href: 'https://a.example' })],
  ['tags', () => 'tag'],
]

/** For each path of a string: a valid body with the string at that path. */
const stringPaths: readonly (readonly [string, (text: string) => Body])[] = [
  ['title', (title) => ({ title })],
  ['tags/1', (tag) => ({ tags: ['a', tag] })],
  ['urls/0/href', (path) => ({ urls: [{ href: `https://a.example/${path}` }] })],
  ['urls/0/label', (label) => ({ urls: [{ href: 'https://a.example', label }] })],
  ['sections/0/id', (id) => ({ sections: [{ id }] })],
  ['sections/0/label', (label) => ({ sections: [{ id: 's', label }] })],
  ['fields/0/id', (id) => ({ fields: [{ id }] })],
  ['fields/0/label', (label) => ({ fields: [{ id: 'f', label }] })],
  ['fields/0/value', (value) => ({ fields: [{ id: 'f', value }] })],
  [
    'fields/0/recipe/excludeCharacters',
    (text) => ({ fields: [{ id: 'f', recipe: { excludeCharacters: text } }] }),
  ],
]

describe('limitOptions', () => {
  it('returns the defaults of the contract', () => {
    expect(limitOptions.read({})).toEqual(defaults)
    expect(limitOptions.read({ urls: undefined })).toEqual(defaults)
  })

  it.each(Object.keys(defaults))('overrides a single limit: %s', (name) => {
    expect(limitOptions.read({ [name]: 0 })).toEqual({ ...defaults, [name]: 0 })
    expect(limitOptions.read({ [name]: 7 })).toEqual({ ...defaults, [name]: 7 })
  })

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '7', null])('throws for %s', (limit) => {
    const options = Object.fromEntries([['urls', limit]])
    const Wrong = typeof limit === 'number' ? RangeError : TypeError
    expect(() => limitOptions.read(options)).toThrow(
      new Wrong('options.urls must be a whole number of 0 or more'),
    )
  })
})

describe('checkCounts of an item', () => {
  it.each(lists)('rejects too many %s before it checks them', (name, make) => {
    const context = createBuildContext({ limits: { [name]: 2 } })
    const build = (body: Body) => buildFromBody(body, undefined, context)
    expect(build({ [name]: arrayOf(2, make) })).toHaveProperty([name, 'length'], 2)
    const issues = captureIssues(() =>
      build({ category: 'NONSENSE', [name]: arrayOf(3, () => null) }),
    )
    expect(issues).toEqual([{ path: name, message: 'must be at most 2 elements long' }])
  })
})

describe('checkStringsOf', () => {
  const limits = limitOptions.read({ stringBytes: 30 })
  const check = (draft: object): void => checkStringsOf(draft, JSON.stringify(draft), limits)

  it.each([
    ['\0', 'title must not contain U+0000'],
    ['\ud83d', 'title must not contain a lone surrogate'],
    ['a'.repeat(31), 'title must be at most 30 bytes long'],
  ])('rejects the title %j', (title, message) => {
    expect(() => check({ title })).toThrow(message)
  })

  it.each(['a', '\\u0000', '\u0001', '\u{1f511}', 'a'.repeat(30)])(
    'accepts the title %j',
    (title) => {
      expect(() => check({ title })).not.toThrow()
    },
  )

  it.each(['createItem', 'replaceItem'] as const)(
    'names the string in a body of %s',
    async (name) => {
      const { service, caller, vaultId } = await createTestVault()
      const { id: itemId } = await service.createItem(caller, {
        vaultId,
        item: loginDraft(vaultId),
      })
      const item = { ...loginDraft(vaultId), tags: ['a', 'b\0'] }
      const ref = { vaultId, itemId: name === 'createItem' ? 'c'.repeat(26) : itemId }
      const call = service[name](caller, { ...ref, item })
      await expect(call).rejects.toMatchObject(invalid('tags/1 must not contain U+0000'))
    },
  )
})

describe('checkStrings of an item', () => {
  it.each(stringPaths)('rejects an invalid string in %s', (path, body) => {
    expect(() => buildFromBody(body('a'.repeat(65_000)))).not.toThrow()
    const issuesOf = (text: string) => captureIssues(() => buildFromBody(body(text)))
    expect(issuesOf('a'.repeat(65_537))).toEqual([
      { path, message: 'must be at most 65536 bytes long' },
    ])
    const message = path === 'urls/0/href' ? 'must be a URL' : 'must not contain U+0000'
    for (const text of ['\0', 'a\0', '\0a', 'a\0b'])
      expect(issuesOf(text)).toEqual([{ path, message }])
    for (const text of ['\ud83d', '\ude00', 'a\ud83d', '\ude00\ud83d', '\ud83d\ud83d\ude00'])
      expect(issuesOf(text)).toEqual([{ path, message: 'must not contain a lone surrogate' }])
  })

  it('accepts any other character', () => {
    for (const text of [
      '\u0001',
      '\u{1f600}',
      '\ufeff',
      '\ufffd',
      '\u202e',
      '\uffff',
      '\u{10ffff}',
      '\n',
    ]) {
      expect(
        buildFromBody({
          fields: [{ id: text, value: text, label: text }],
          title: text,
          tags: [text],
        }),
      ).toMatchObject({
        title: text,
        tags: [text],
        fields: [{ id: text, value: text, label: text }],
      })
    }
  })
})

describe('checkStrings', () => {
  const limits = limitOptions.read({ stringBytes: 3 })

  it('throws an issue for every invalid string', () => {
    const value = {
      a: 'four',
      b: ['ok', { c: '\0', d: null, e: 5, f: true, g: undefined }],
      h: { i: '\ud800' },
    }
    expect(captureIssues(() => checkStrings(value, limits))).toEqual([
      { path: 'a', message: 'must be at most 3 bytes long' },
      { path: 'b/1/c', message: 'must not contain U+0000' },
      { path: 'h/i', message: 'must not contain a lone surrogate' },
    ])
  })

  it('checks a string at the root', () => {
    expect(captureIssues(() => checkStrings('four', limits))).toEqual([
      { path: '', message: 'must be at most 3 bytes long' },
    ])
  })

  it.each([undefined, null, 5, true, {}, [[]], 'abc', [['abc']], { a: null }])(
    'accepts %j',
    (value) => {
      expect(() => checkStrings(value, limits)).not.toThrow()
    },
  )

  it('counts the bytes that a UTF-8 encoder writes', () => {
    const law = fc.property(fc.string({ unit: codePoint }), fc.nat(40), (text, stringBytes) => {
      const isLong = Buffer.byteLength(text, 'utf8') > stringBytes
      const check = (): void => checkStrings([text], limitOptions.read({ stringBytes }))
      if (isLong || text.includes('\0')) expect(check).toThrow()
      else expect(check).not.toThrow()
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })
})

describe('checkCounts', () => {
  it.each([undefined, null, 'text', 5, [[]], { tags: 'text' }, { tags: { length: 500 } }])(
    'ignores %j, which the schema rejects',
    (body) => {
      expect(() => checkCounts(body, limitOptions.read({ tags: 0 }))).not.toThrow()
    },
  )
})

describe('checkCount', () => {
  it('throws an issue with the path when there are too many elements', () => {
    expect(() => checkCount([1, 2], 'x', 2)).not.toThrow()
    expect(captureIssues(() => checkCount([1, 2, 3], 'x', 2))).toEqual([
      { path: 'x', message: 'must be at most 2 elements long' },
    ])
  })
})

describe('checkFileName', () => {
  it('counts code points and rejects one too many', () => {
    const limits = limitOptions.read({ fileNameCharacters: 3 })
    for (const name of ['a', 'abc', 'éé€', '\u{1f600}\u{1f600}\u{1f600}'])
      expect(() => checkFileName(name, limits)).not.toThrow()
    for (const name of ['abcd', '\u{1f600}abc', 'a'.repeat(65_536)])
      expect(captureIssues(() => checkFileName(name, limits))).toEqual([
        { path: 'name', message: 'must be at most 3 characters long' },
      ])
  })
})

describe('checkSize', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', '"', '\u0001', 'é', '€', '\u{1f600}') })

  it('counts the bytes of the JSON of an item', () => {
    const law = fc.property(fc.array(texts), fc.integer({ min: -9, max: 9 }), (values, spare) => {
      const fields = values.map((value, index) => ({ id: `${index}`, type: 'STRING', value }))
      const item = storedItem({ fields })
      const itemBytes = Buffer.byteLength(JSON.stringify(item)) + spare
      const check = (): void => checkSize(JSON.stringify(item), limitOptions.read({ itemBytes }))
      if (spare < 0) expect(check).toThrow()
      else expect(check).not.toThrow()
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })

  it('does not underestimate an item with many attributes', () => {
    const fields = arrayOf(1000, (index) => ({
      id: `${index}`,
      type: 'STRING',
      purpose: '',
      section: { id: '' },
      entropy: 123.12345678901234,
    }))
    const urls = arrayOf(100, () => ({ href: '', label: '', primary: false }))
    const files = arrayOf(100, () => ({ id: '', name: '', size: 1e15, content_path: '' }))
    const item = storedItem({ ...{ fields, urls, files, tags: arrayOf(100, () => '') } } as object)
    const itemBytes = Buffer.byteLength(JSON.stringify(item)) - 1
    expect(
      captureIssues(() => checkSize(JSON.stringify(item), limitOptions.read({ itemBytes }))),
    ).toEqual([{ path: '', message: `the item must be at most ${itemBytes} bytes long` }])
  })

  it('runs for every item that is created or grows, and for no item that shrinks', async () => {
    const vault = await createTestVault()
    const { caller, vaultId, store, item } = vault
    const itemBytes = Buffer.byteLength(JSON.stringify(item)) - 100
    const service = createVaultService({ store, limits: { itemBytes } })
    const ref = { vaultId, itemId: item.id }
    const message = `the item must be at most ${itemBytes} bytes long`
    const tooLarge = invalid(message)
    const long = { id: 'f', value: 'x'.repeat(itemBytes) }
    const draft = { ...loginDraft(vaultId), fields: [long] }
    await expect(service.createItem(caller, { vaultId, item: draft })).rejects.toMatchObject(
      tooLarge,
    )
    await expect(service.replaceItem(caller, { ...ref, item: draft })).rejects.toMatchObject(
      tooLarge,
    )
    const grow = [{ op: 'add', path: '/fields/-', value: { id: 'more', value: '1' } }] as const
    await expect(service.patchItem(caller, { ...ref, patch: grow })).rejects.toMatchObject({
      ...tooLarge,
      message: `operation 0 ("/fields/-"): ${message}`,
    })
    const title = '€'.repeat(item.title?.length ?? 0)
    const growInBytes = [{ op: 'replace', path: '/title', value: title }] as const
    await expect(service.patchItem(caller, { ...ref, patch: growInBytes })).rejects.toMatchObject({
      ...tooLarge,
      message: `operation 0 ("/title"): ${message}`,
    })
    expect(await service.getItem(caller, ref)).toStrictEqual(item)
    const shrink = [{ op: 'replace', path: '/tags', value: [] }] as const
    expect((await service.patchItem(caller, { ...ref, patch: shrink })).tags).toEqual([])
  })
})
