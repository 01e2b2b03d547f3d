import { describe, expect, it } from 'vitest'
import { planPatch } from '../../../src/core/patch/apply-patch.js'
import { resolveLimits } from '../../../src/core/runtime/limits.js'
import type { PatchOperation } from '../../../src/index.js'
import { invalidOperations } from '../../../src/testing/hostile/patch-operations.js'
import { invalidOps } from '../../../src/testing/hostile/patches.js'
import { createPatchHarness } from '../../support/items/patch-harness.js'

const good = [
  { op: 'replace', path: '/title', value: 'Renamed' },
  { op: 'add', path: '/fields/username/value', value: 'other' },
]
const rename = good[0]

describe('patchItem', () => {
  describe.each(invalidOperations)('with an invalid %s', (_theme, rejected) => {
    it.each(rejected)('rejects the whole patch for %s', async (_name, operation, reason) => {
      const harness = await createPatchHarness()
      const path = `("${operation.path}")`
      expect(await harness.rejection([operation])).toBe(`operation 0 ${path}: ${reason}`)
      expect(await harness.rejection([...good, operation])).toBe(`operation 2 ${path}: ${reason}`)
    })
  })

  describe('planPatch with a long path', () => {
    const limits = resolveLimits({ stringBytes: 20 })
    const removePath = (path: string): readonly PatchOperation[] => [{ op: 'remove', path }]

    it('throws without repeating the path when it exceeds limits.stringBytes', () => {
      expect(planPatch(removePath(`/fields/${'a'.repeat(12)}`), limits).steps).toHaveLength(1)
      expect(() => planPatch(removePath(`/fields/${'a'.repeat(13)}`), limits)).toThrow(
        'must not have a path of more than 20 bytes',
      )
      expect(() => planPatch(removePath(`/${'a/'.repeat(50_000)}`), resolveLimits())).toThrow(
        /^operation 0: must not have a path of more than 65536 bytes$/,
      )
    })
  })

  describe('patchItem', () => {
    describe('with a malformed patch', () => {
      it.each<[string, unknown, string]>([
        ['undefined', undefined, 'must be an array'],
        ['null', null, 'must be an array'],
        ['one operation', rename, 'must be an array'],
        ['a string', '[]', 'must be an array'],
        [
          'elements that are not objects',
          [rename, 'x', null, []],
          '1 must be an object; 2 must be an object; 3 must be an object',
        ],
        ['no path', [rename, { op: 'remove' }], '1/path must be a string'],
        [
          'a path that is not a string',
          [{ op: 'remove', path: ['title'] }],
          '0/path must be a string',
        ],
        ['a sparse array', Array(1), '0 must be an object'],
      ])('rejects %s', async (_name, patch, message) => {
        expect(await (await createPatchHarness()).rejection(patch)).toBe(message)
      })

      it.each(invalidOps.map((op): [unknown] => [op]))(
        'rejects the op %j and names its index',
        async (op) => {
          const harness = await createPatchHarness()
          const message = await harness.rejection([
            ...good,
            { op, path: '/title', from: '/tags/0', value: 'Example' },
          ])
          expect(message).toBe('2/op must be one of "add", "remove", "replace"')
        },
      )

      it.each(['title', 'fields/pin', 'hunter2', '#/title', '~1title', '\n/title'])(
        'rejects the path %j as an invalid JSON Pointer without repeating it',
        async (path) => {
          const harness = await createPatchHarness()
          expect(await harness.rejection([...good, { op: 'remove', path }])).toBe(
            'operation 2: is not a JSON Pointer',
          )
        },
      )

      it('names the first of several invalid operations', async () => {
        const harness = await createPatchHarness()
        const patch = [rename, { op: 'remove', path: '/id' }, { op: 'remove', path: '/version' }]
        expect(await harness.rejection(patch)).toContain('operation 1 ("/id")')
        const later = [
          { op: 'remove', path: '/fields/lost' },
          { op: 'remove', path: '/fields/gone' },
        ]
        expect(await harness.rejection(later)).toContain('operation 0 ("/fields/lost")')
      })

      it('throws an issue with the index of the operation and the reason', () => {
        const patch = [rename, { op: 'remove', path: '/id' }] as PatchOperation[]
        const message = 'is not a patchable path of an item'
        expect(() => planPatch(patch, resolveLimits())).toThrow(
          expect.objectContaining({ issues: [{ path: '1', message }] }),
        )
      })

      it('repeats only paths of up to 256 characters, escapes included', async () => {
        const harness = await createPatchHarness()
        const path = `/fields/~1"${'x'.repeat(245)}`
        expect(await harness.rejection([{ op: 'remove', path }])).toBe(
          `operation 0 (${JSON.stringify(path)}): The item doesn't have that field.`,
        )
        expect(await harness.rejection([{ op: 'remove', path: `${path}x` }])).toBe(
          "operation 0: The item doesn't have that field.",
        )
      })

      it('accepts 256 operations and rejects 257', async () => {
        const harness = await createPatchHarness()
        expect(await harness.rejection(Array(257).fill(rename))).toBe(
          'must be at most 256 elements long',
        )
        expect(await harness.patch(Array(256).fill(rename))).toMatchObject({ title: 'Renamed' })
      })
    })

    describe('with an invalid resulting item', () => {
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
        [
          'a title of null',
          [{ op: 'replace', path: '/title', value: null }],
          'title must be a string',
        ],
        [
          'a favorite of 0',
          [{ op: 'replace', path: '/favorite', value: 0 }],
          'favorite must be a boolean',
        ],
        [
          'tags that are not an array',
          [{ op: 'add', path: '/tags', value: 'x' }],
          'tags must be an array',
        ],
        [
          'a tag that is not a string',
          [{ op: 'add', path: '/tags/-', value: {} }],
          'tags/2 must be a string',
        ],
        [
          'fields that are not an array',
          [{ op: 'replace', path: '/fields', value: {} }],
          'fields must be an array',
        ],
        [
          'a whole item whose fields are not an array',
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
          'a duplicate id',
          [{ op: 'add', path: '/fields', value: { id: 'pin', type: 'URL' } }],
          'fields/3/id must not be the id',
        ],
        [
          'a duplicate purpose',
          [{ op: 'add', path: '/fields/pin/purpose', value: 'USERNAME' }],
          'fields/2/purpose must not be the purpose',
        ],
        [
          'a reference to a removed section',
          [{ op: 'remove', path: '/sections/0' }],
          'fields/2/section/id must be the id',
        ],
        [
          'an invalid URL',
          [{ op: 'replace', path: '/urls/0/href', value: 'x' }],
          'urls/0/href must be a URL',
        ],
        [
          'a URL without href',
          [{ op: 'remove', path: '/urls/0/href' }],
          'urls/0/href must be a string',
        ],
        [
          'U+0000',
          [{ op: 'replace', path: '/title', value: '\0' }],
          'title must not contain U+0000',
        ],
        [
          'one tag too many',
          Array(99).fill({ op: 'add', path: '/tags/-', value: 'x' }),
          'tags must be at most 100 elements long',
        ],
      ])('rejects %s', async (_name, patch, message) => {
        const rejection = await (await createPatchHarness()).rejection(patch)
        expect(rejection.startsWith(message)).toBe(true)
      })

      it.each<[string, unknown[]]>([
        [
          'an operation on fields that are not an array',
          [{ op: 'replace', path: '/fields', value: {} }],
        ],
        ['an operation on removed fields', [{ op: 'remove', path: '/fields' }]],
      ])('rejects %s', async (_name, patch) => {
        const harness = await createPatchHarness()
        for (const path of ['/fields', '/fields/-', '/fields/new']) {
          expect(
            await harness.rejection([...patch, { op: 'add', path, value: { type: 'URL' } }]),
          ).toBe(`operation 1 ("${path}"): leads through a value that is not a list of fields`)
        }
      })

      it('rejects elements of fields that are not objects', async () => {
        const harness = await createPatchHarness()
        const value = [null, 'pin', 5, ['pin'], { id: 'pin', type: 'URL' }]
        const patch = [
          { op: 'replace', path: '/fields', value },
          { op: 'replace', path: '/fields/pin/type', value: 'MENU' },
        ]
        expect(await harness.rejection(patch)).toContain(
          'fields/0 must be an object; fields/1 must be an object',
        )
      })

      it('rejects a reference to a field that an earlier operation removed', async () => {
        const harness = await createPatchHarness()
        const value = { category: 'LOGIN', fields: [{ id: 'pin' }] }
        for (const path of ['/fields/pin', '/fields']) {
          const patch = [
            { op: 'remove', path },
            { op: 'replace', path: '', value },
          ]
          expect(await harness.rejection(patch)).toBe(
            'operation 1 (""): The item doesn\'t have a pin field.',
          )
        }
      })

      it('accepts an intermediate invalid state that a later operation corrects', async () => {
        const harness = await createPatchHarness()
        const patch = [
          { op: 'remove', path: '/category' },
          { op: 'replace', path: '/fields', value: 'x' },
          { op: 'remove', path: '/fields' },
          { op: 'add', path: '/category', value: 'SERVER' },
        ]
        expect(await harness.patch(patch)).toMatchObject({ category: 'SERVER', fields: [] })
      })
    })
  })
})
