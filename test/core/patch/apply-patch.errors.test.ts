import { describe, expect, it } from 'vitest'
import { planPatch } from '../../../src/core/patch/apply-patch.js'
import { limitOptions } from '../../../src/core/runtime/limits.js'
import { contractDialect } from '../../../src/dialects/contract.js'
import type { PatchOperation } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { add, createPatchHarness, remove, replace } from '../../support/items/patch-harness.js'

const rename = { op: 'replace', path: '/title', value: 'Renamed' } as const
const good = [rename, { op: 'add', path: '/fields/username/value', value: 'other' }]

// Rows that the contract (4.3-3, 4.3-5 and limits-3) has are left out.
describe('planPatch: a malformed patch', () => {
  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'patch must be an array'],
    ['null', null, 'patch must be an array'],
    ['one operation', rename, 'patch must be an array'],
    ['a string', '[]', 'patch must be an array'],
    [
      'elements that are not objects',
      [rename, 'x', null, []],
      'operation 1, operation 2, operation 3: 1 must be an object; 2 must be an object; 3 must be an object',
    ],
    ['no path', [rename, { op: 'remove' }], 'operation 1: 1/path must be a string'],
    [
      'a path that is not a string',
      [{ op: 'remove', path: ['title'] }],
      'operation 0: 0/path must be a string',
    ],
    ['a sparse array', Array(1), 'operation 0: 0 must be an object'],
  ])('rejects %s', async (_name, patch, message) => {
    expect(await (await createPatchHarness()).rejection(patch)).toBe(message)
  })

  it.each<[unknown]>([[undefined], ['Replace'], ['_get'], ['toString'], ['__proto__'], [0], [{}]])(
    'rejects the op %j',
    async (op) => {
      const harness = await createPatchHarness()
      const operation = { op, path: '/title', from: '/tags/0', value: 'Example' }
      expect(await harness.rejection([...good, operation])).toBe(
        'operation 2 ("/title"): 2/op must be one of "add", "remove", "replace"',
      )
    },
  )

  it.each(['hunter2', '#/title', '~1title', '\n/title'])(
    'rejects the path %j without repeating it, because it is not a JSON Pointer',
    async (path) => {
      const harness = await createPatchHarness()
      const message = 'operation 2: is not a JSON Pointer, such as /title'
      expect(await harness.rejection([...good, remove(path)])).toBe(message)
    },
  )

  it('repeats only paths of up to 256 characters, escapes included', async () => {
    const harness = await createPatchHarness()
    const path = `/fields/~1"${'x'.repeat(245)}`
    const reason = "The item doesn't have that field."
    expect(await harness.rejection([remove(path)])).toBe(
      `operation 0 (${JSON.stringify(path)}): ${reason}`,
    )
    expect(await harness.rejection([remove(`${path}x`)])).toBe(`operation 0: ${reason}`)
  })

  it('rejects a path that exceeds limits.stringBytes', () => {
    const plan = (path: string, stringBytes?: number): unknown =>
      planPatch([{ op: 'remove', path }], limitOptions.read(stringBytes ? { stringBytes } : {}))
        .steps
    expect(plan(`/fields/${'a'.repeat(12)}`, 20)).toHaveLength(1)
    const message = 'must not have a path of more than 20 bytes'
    expect(() => plan(`/fields/${'a'.repeat(13)}`, 20)).toThrow(message)
    expect(() => plan(`/${'a/'.repeat(50_000)}`)).toThrow(
      /^operation 0: must not have a path of more than 65536 bytes$/,
    )
  })

  it('rejects a value of more than limits.depth levels', async () => {
    const harness = await createPatchHarness({}, { limits: { depth: 2 } })
    const value = { type: 'STRING', section: {} }
    expect(await harness.patch([add('/fields/new', value)])).toMatchObject({ version: 2 })
    expect(await harness.rejection([add('/fields', [value])])).toBe(
      'operation 0 ("/fields"): must not have a value of more than 2 levels',
    )
  })

  it.each(['', '/fields', '/fields/pin', '/title', '/tags/0'])(
    'rejects a value that contains itself at %j',
    async (path) => {
      const object: Record<string, unknown> = { type: 'STRING' }
      object['section'] = [object]
      expect(await (await createPatchHarness()).rejection([add(path, object)])).toBe(
        `operation 0 ("${path}"): must not have a value of more than 32 levels`,
      )
    },
  )

  it('names the first of several invalid operations', async () => {
    const harness = await createPatchHarness()
    const unpatchable = [rename, remove('/id'), remove('/version')]
    expect(await harness.rejection(unpatchable)).toContain('operation 1 ("/id")')
    const missing = [remove('/fields/lost'), remove('/fields/gone')]
    expect(await harness.rejection(missing)).toContain('operation 0 ("/fields/lost")')
  })

  it('throws an issue with the index of the operation and the reason', () => {
    const patch: readonly PatchOperation[] = [rename, { op: 'remove', path: '/id' }]
    const message = 'is not a patchable path of an item'
    expect(() => planPatch(patch, limitOptions.read({}))).toThrow(
      expect.objectContaining({ issues: [{ path: '1', message }] }),
    )
  })
})

describe('patchItem with a dialect of your own', () => {
  it('rejects with the error of the dialect, unchanged unless it is an InvalidInputError', async () => {
    const failure = new TypeError('a bug in the dialect')
    const dialect = {
      ...contractDialect,
      parsePatch: () => {
        throw failure
      },
    }
    const { service, caller, vaultId, item } = await createTestVault({ dialect })
    const input = { vaultId, itemId: item.id, patch: [rename] }
    await expect(service.patchItem(caller, input)).rejects.toBe(failure)
  })
})

describe('applyPatch: a field of another id', () => {
  it.each(['other', 5, null])('rejects a value with the id %j', async (id) => {
    const harness = await createPatchHarness()
    const value = { id, type: 'URL' }
    const message = 'the value must not be a field with another id'
    for (const operation of [replace('/fields/pin', value), add('/fields/pin', value)])
      expect(await harness.rejection([operation])).toBe(`operation 0 ("/fields/pin"): ${message}`)
    expect(await harness.rejection([add('/fields/new', value)])).toBe(
      `operation 0 ("/fields/new"): ${message}`,
    )
  })
})

describe('applyPatch: an operation that earlier operations make invalid', () => {
  const notAList = 'the path goes through a value that is not a list of fields'

  it.each([
    ['replaced by an object', replace('/fields', {})],
    ['removed', remove('/fields')],
  ])('rejects it when the fields were %s', async (_case, earlier) => {
    const harness = await createPatchHarness()
    for (const path of ['/fields', '/fields/-', '/fields/new'])
      expect(await harness.rejection([earlier, add(path, { type: 'URL' })])).toBe(
        `operation 1 ("${path}"): ${notAList}`,
      )
  })

  it.each(['/fields/pin', '/fields'])(
    'rejects a reference to a field after %s was removed',
    async (path) => {
      const harness = await createPatchHarness()
      const value = { category: 'LOGIN', fields: [{ id: 'pin' }] }
      expect(await harness.rejection([remove(path), replace('', value)])).toBe(
        'operation 1 (""): The item doesn\'t have a pin field.',
      )
    },
  )
})

// Rows that the contract (patches-17) has are left out.
/** Patches whose operations can be applied, and the beginning of the message. */
const invalidResults: readonly [result: string, patch: readonly object[], message: string][] = [
  [
    'a whole item with a malformed id',
    [replace('/', { category: 'LOGIN', id: 'x' })],
    'id has an invalid format',
  ],
  [
    'a whole item with the id of another item',
    [replace('/', { category: 'LOGIN', id: 'z'.repeat(26) })],
    'id must be the item of the operation',
  ],
  ...[{ id: 'z'.repeat(26) }, { id: 'x' }, {}, 5, null].map(
    (vault): (typeof invalidResults)[number] => [
      `a whole item with the vault ${JSON.stringify(vault)}`,
      [replace('/', { category: 'LOGIN', vault })],
      'vault',
    ],
  ),
  ['tags that are not an array', [add('/tags', 'x')], 'tags must be an array'],
  ['a tag that is not a string', [add('/tags/-', {})], 'tags/2 must be a string'],
  ['fields that are not an array', [replace('/fields', {})], 'fields must be an array'],
  [
    'a whole item whose fields are not an array',
    [add('', { category: 'LOGIN', fields: {} })],
    'fields must be an array',
  ],
  [
    'fields that are not objects',
    [
      replace('/fields', [null, 'pin', 5, ['pin'], { id: 'pin', type: 'URL' }]),
      replace('/fields/pin/type', 'MENU'),
    ],
    'fields/0 must be an object; fields/1 must be an object',
  ],
  [
    'an unknown type',
    [add('/fields', { id: 'x', type: 'string' })],
    'fields/3/type must be one of',
  ],
  [
    'a field without an id',
    [replace('/fields', [{ type: 'URL' }])],
    'fields/0/id must be a string',
  ],
  [
    'a duplicate id',
    [add('/fields', { id: 'pin', type: 'URL' })],
    'fields/3/id must not be the id',
  ],
  [
    'a section id of null, kept by a later reference to its field',
    [add('/fields/pin/section/id', null), replace('/fields', [{ id: 'pin' }])],
    'fields/0/section/id must be a string',
  ],
  [
    'a recipe that leaves one character',
    [
      add('/fields/new', {
        generate: true,
        recipe: { characterSets: ['DIGITS'], excludeCharacters: '012345678' },
      }),
    ],
    'fields/3/recipe/excludeCharacters must leave at least two characters',
  ],
  ['an invalid URL', [replace('/urls/0/href', 'x')], 'urls/0/href must be a URL'],
  ['a URL without href', [remove('/urls/0/href')], 'urls/0/href must be a string'],
  ['U+0000', [replace('/title', '\0')], 'title must not contain U+0000'],
  [
    'one tag too many',
    Array(99).fill(add('/tags/-', 'x')),
    'tags must be at most 100 elements long',
  ],
]

describe('patchItem: an invalid resulting item', () => {
  it.each(invalidResults)('rejects %s', async (_result, patch, message) => {
    const rejection = await (await createPatchHarness()).rejection(patch)
    const [operations, reason] = rejection.split(/: (.*)/)
    expect(operations).toMatch(/^operation \d+ \("[^"]*"\)$/)
    expect(reason?.slice(0, message.length)).toBe(message)
  })

  const [title, section] = [replace('/title', 'Renamed'), { id: 'new' }]
  it.each<[string, readonly object[], string]>([
    [
      'on the value itself',
      [replace('/title', 5), title, replace('/title', 6), title, add('/tags/-', 1)],
      'operation 4 ("/tags/-")',
    ],
    [
      'on a part of the value',
      [replace('/urls/0', {}), remove('/urls/0/href'), title],
      'operation 1 ("/urls/0/href")',
    ],
    [
      'on what the value is in',
      [replace('/fields/pin', { type: 'URL', value: 5 }), title],
      'operation 0 ("/fields/pin")',
    ],
    [
      'on a field that has moved',
      [replace('/fields/pin/value', 5), remove('/fields/username'), title],
      'operation 0 ("/fields/pin/value")',
    ],
    ['on the section of a field', [remove('/sections/0'), title], 'operation 0 ("/sections/0")'],
    [
      'on another element of the list',
      [add('/sections/-', section), add('/sections/0', section), title],
      'operation 1 ("/sections/0")',
    ],
    [
      'on any value, if the item is too large',
      [
        title,
        add(
          '/fields',
          Array(600)
            .fill(0)
            .map((_, id) => ({ id: `${id}`, type: 'STRING', value: 'x'.repeat(5000) })),
        ),
      ],
      'operation 1 ("/fields")',
    ],
  ])('names the last operation %s', async (_place, patch, operation) => {
    const rejection = await (await createPatchHarness()).rejection(patch)
    expect(rejection.split(': ')[0]).toBe(operation)
  })

  it('names each operation that made a part invalid', async () => {
    const patch = [replace('/title', 5), rename, replace('/title', 6), add('/tags/-', 7)]
    expect(await (await createPatchHarness()).rejection(patch)).toBe(
      'operation 2 ("/title"), operation 3 ("/tags/-"): title must be a string; tags/2 must be a string',
    )
  })
})
