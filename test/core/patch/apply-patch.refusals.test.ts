import { describe, expect, it } from 'vitest'
import { planPatch } from '../../../src/core/patch/apply-patch.js'
import { resolveLimits } from '../../../src/core/runtime/limits.js'
import type { PatchOperation } from '../../../src/index.js'
import { invalidOperations } from '../../../src/testing/hostile/patch-operations.js'
import { invalidOps } from '../../../src/testing/hostile/patches.js'
import { createPatchLab } from '../../support/items/patch-harness.js'

const good = [
  { op: 'replace', path: '/title', value: 'Renamed' },
  { op: 'add', path: '/fields/username/value', value: 'other' },
]
const rename = good[0]

describe.each(invalidOperations)('a patch with a bad %s', (_theme, refused) => {
  it.each(refused)('is refused as a whole for %s', async (_name, operation, reason) => {
    const lab = await createPatchLab()
    const ref = `("${operation.path}")`
    expect(await lab.refusal([operation])).toBe(`operation 0 ${ref}: ${reason}`)
    expect(await lab.refusal([...good, operation])).toBe(`operation 2 ${ref}: ${reason}`)
  })
})

describe('a patch with a path of many bytes', () => {
  const limits = resolveLimits({ stringBytes: 20 })
  const removing = (path: string): readonly PatchOperation[] => [{ op: 'remove', path }]

  it('is refused beyond the limit of strings, and its path is not repeated', () => {
    expect(planPatch(removing(`/fields/${'a'.repeat(12)}`), limits).steps).toHaveLength(1)
    expect(() => planPatch(removing(`/fields/${'a'.repeat(13)}`), limits)).toThrow(
      'must not have a path of more than 20 bytes',
    )
    expect(() => planPatch(removing(`/${'a/'.repeat(50_000)}`), resolveLimits())).toThrow(
      /^operation 0: must not have a path of more than 65536 bytes$/,
    )
  })
})

describe('a patch that is none', () => {
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'must be an array'],
    ['null', null, 'must be an array'],
    ['one operation', rename, 'must be an array'],
    ['a text', '[]', 'must be an array'],
    [
      'operations that are none',
      [rename, 'x', null, []],
      '1 must be an object; 2 must be an object; 3 must be an object',
    ],
    ['no path', [rename, { op: 'remove' }], '1/path must be a string'],
    ['a path that is no text', [{ op: 'remove', path: ['title'] }], '0/path must be a string'],
    ['a hole', Array(1), '0 must be an object'],
  ])('is refused: %s', async (_name, patch, message) => {
    expect(await (await createPatchLab()).refusal(patch)).toBe(message)
  })

  it.each(invalidOps.map((op): [unknown] => [op]))(
    'is refused for the op %j, and its index is named',
    async (op) => {
      const lab = await createPatchLab()
      const message = await lab.refusal([
        ...good,
        { op, path: '/title', from: '/tags/0', value: 'Example' },
      ])
      expect(message).toBe('2/op must be one of "add", "remove", "replace"')
    },
  )

  it.each(['title', 'fields/pin', 'hunter2', '#/title', '~1title', '\n/title'])(
    'is refused for the path %j, which is not repeated, being no pointer',
    async (path) => {
      const lab = await createPatchLab()
      expect(await lab.refusal([...good, { op: 'remove', path }])).toBe(
        'operation 2: is not a JSON Pointer',
      )
    },
  )

  it('names the first of many bad operations', async () => {
    const lab = await createPatchLab()
    const patch = [rename, { op: 'remove', path: '/id' }, { op: 'remove', path: '/version' }]
    expect(await lab.refusal(patch)).toContain('operation 1 ("/id")')
    const later = [
      { op: 'remove', path: '/fields/lost' },
      { op: 'remove', path: '/fields/gone' },
    ]
    expect(await lab.refusal(later)).toContain('operation 0 ("/fields/lost")')
  })

  it('says in its issue which operation is bad, and why', () => {
    const patch = [rename, { op: 'remove', path: '/id' }] as PatchOperation[]
    const message = 'is no place of an item that a patch may change'
    expect(() => planPatch(patch, resolveLimits())).toThrow(
      expect.objectContaining({ issues: [{ path: '1', message }] }),
    )
  })

  it('names a path of 256 characters, escapes and all, and no longer one', async () => {
    const lab = await createPatchLab()
    const path = `/fields/~1"${'x'.repeat(245)}`
    expect(await lab.refusal([{ op: 'remove', path }])).toBe(
      `operation 0 (${JSON.stringify(path)}): The item doesn't have that field.`,
    )
    expect(await lab.refusal([{ op: 'remove', path: `${path}x` }])).toBe(
      "operation 0: The item doesn't have that field.",
    )
  })

  it('is told from one that is too long by its number of operations', async () => {
    const lab = await createPatchLab()
    expect(await lab.refusal(Array(257).fill(rename))).toBe('must be at most 256 elements long')
    expect(await lab.patch(Array(256).fill(rename))).toMatchObject({ title: 'Renamed' })
  })
})

describe('a patch whose result is no valid item', () => {
  it.each<[string, unknown[], string]>([
    ['no category', [{ op: 'remove', path: '/category' }], 'Invalid item category'],
    [
      'an unknown category',
      [{ op: 'replace', path: '/category', value: 'login' }],
      'Invalid item category',
    ],
    [
      'a whole item without category',
      [{ op: 'replace', path: '/', value: {} }],
      'Invalid item category',
    ],
    ['a title of null', [{ op: 'replace', path: '/title', value: null }], 'title must be a string'],
    [
      'a favorite of 0',
      [{ op: 'replace', path: '/favorite', value: 0 }],
      'favorite must be a boolean',
    ],
    ['tags that are no list', [{ op: 'add', path: '/tags', value: 'x' }], 'tags must be an array'],
    [
      'a tag that is no text',
      [{ op: 'add', path: '/tags/-', value: {} }],
      'tags/2 must be a string',
    ],
    [
      'fields that are no list',
      [{ op: 'replace', path: '/fields', value: {} }],
      'fields must be an array',
    ],
    [
      'whole fields that are no list',
      [{ op: 'add', path: '', value: { category: 'LOGIN', fields: {} } }],
      'fields must be an array',
    ],
    [
      'an unknown type',
      [{ op: 'add', path: '/fields', value: { id: 'x', type: 'string' } }],
      'fields/3/type must be one of',
    ],
    [
      'a value of null',
      [{ op: 'replace', path: '/fields/pin/value', value: null }],
      'fields/2/value must be a string',
    ],
    [
      'a field without an id',
      [{ op: 'replace', path: '/fields', value: [{ type: 'URL' }] }],
      'fields/0/id must be a string',
    ],
    [
      'an id twice',
      [{ op: 'add', path: '/fields', value: { id: 'pin', type: 'URL' } }],
      'fields/3/id must not be the id',
    ],
    [
      'a purpose twice',
      [{ op: 'add', path: '/fields/pin/purpose', value: 'USERNAME' }],
      'fields/2/purpose must not be the purpose',
    ],
    [
      'a section that is gone',
      [{ op: 'remove', path: '/sections/0' }],
      'fields/2/section/id must be the id',
    ],
    [
      'a URL that is none',
      [{ op: 'replace', path: '/urls/0/href', value: 'x' }],
      'urls/0/href must be a URL',
    ],
    [
      'a URL without address',
      [{ op: 'remove', path: '/urls/0/href' }],
      'urls/0/href must be a string',
    ],
    ['U+0000', [{ op: 'replace', path: '/title', value: '\0' }], 'title must not hold U+0000'],
    [
      'one tag too many',
      Array(99).fill({ op: 'add', path: '/tags/-', value: 'x' }),
      'tags must be at most 100 elements long',
    ],
  ])('is refused: %s', async (_name, patch, message) => {
    const refusal = await (await createPatchLab()).refusal(patch)
    expect(refusal.startsWith(message)).toBe(true)
  })

  it.each<[string, unknown[]]>([
    [
      'an operation through what is no list of fields',
      [{ op: 'replace', path: '/fields', value: {} }],
    ],
    ['an operation on fields that are gone', [{ op: 'remove', path: '/fields' }]],
  ])('is refused: %s', async (_name, patch) => {
    const lab = await createPatchLab()
    for (const path of ['/fields', '/fields/-', '/fields/new']) {
      expect(await lab.refusal([...patch, { op: 'add', path, value: { type: 'URL' } }])).toBe(
        `operation 1 ("${path}"): leads through what is no list of fields`,
      )
    }
  })

  it('is refused also where a field is looked for among elements that are none', async () => {
    const lab = await createPatchLab()
    const value = [null, 'pin', 5, ['pin'], { id: 'pin', type: 'URL' }]
    const patch = [
      { op: 'replace', path: '/fields', value },
      { op: 'replace', path: '/fields/pin/type', value: 'MENU' },
    ]
    expect(await lab.refusal(patch)).toContain(
      'fields/0 must be an object; fields/1 must be an object',
    )
  })

  it('is refused for a reference to a field that an earlier operation removed', async () => {
    const lab = await createPatchLab()
    const value = { category: 'LOGIN', fields: [{ id: 'pin' }] }
    for (const path of ['/fields/pin', '/fields']) {
      const patch = [
        { op: 'remove', path },
        { op: 'replace', path: '', value },
      ]
      expect(await lab.refusal(patch)).toBe('operation 1 (""): The item doesn\'t have a pin field.')
    }
  })

  it('is none if a later operation mends it', async () => {
    const lab = await createPatchLab()
    const patch = [
      { op: 'remove', path: '/category' },
      { op: 'replace', path: '/fields', value: 'x' },
      { op: 'remove', path: '/fields' },
      { op: 'add', path: '/category', value: 'SERVER' },
    ]
    expect(await lab.patch(patch)).toMatchObject({ category: 'SERVER', fields: [] })
  })
})
