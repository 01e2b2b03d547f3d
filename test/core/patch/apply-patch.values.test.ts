import { describe, expect, it } from 'vitest'
import { applyPatch, planPatch } from '../../../src/core/patch/apply-patch.js'
import { resolveLimits } from '../../../src/core/runtime/limits.js'
import { newId } from '../../../src/core/runtime/random.js'
import type { PatchOperation } from '../../../src/index.js'
import { createPatchLab, patchedFrozen, settable } from '../../support/items/patch-harness.js'

describe('patchItem with values of a caller in process', () => {
  it('stores a copy and does not modify the patch', async () => {
    const harness = await createPatchLab()
    const fields = [{ id: 'a', type: 'STRING', section: { id: 's' } }]
    const value = { category: 'LOGIN', tags: ['x'], sections: [{ id: 's' }], fields }
    const patch = [
      { op: 'replace', path: '/', value },
      { op: 'add', path: '/tags/-', value: 'y' },
      { op: 'add', path: '/fields/a/label', value: 'A' },
      { op: 'remove', path: '/fields/a/section/id' },
      { op: 'add', path: '/fields/-', value: { id: 'b', type: 'URL' } },
      { op: 'replace', path: '/sections/0/id', value: 't' },
    ]
    const before = structuredClone(patch)
    const stored = await harness.patch(patch)
    expect(patch).toStrictEqual(before)
    value.tags.push('later')
    fields[0] = { id: 'z', type: 'STRING', section: { id: 's' } }
    expect(await harness.patch([])).toStrictEqual(stored)
    expect(stored).toMatchObject({
      tags: ['x', 'y'],
      sections: [{ id: 't' }],
      fields: [{ id: 'a', label: 'A' }, { id: 'b' }],
    })
  })

  it('accepts one object in two operations and copies it for each', async () => {
    const value = { type: 'STRING', section: { id: 'more' } }
    const patch = [
      { op: 'add', path: '/fields/a', value },
      { op: 'add', path: '/fields/b', value },
      { op: 'remove', path: '/fields/a/section/id' },
    ]
    const { fields } = await (await createPatchLab()).patch(patch)
    expect(fields.slice(3)).toStrictEqual([
      { id: 'a', type: 'STRING', section: {} },
      { id: 'b', type: 'STRING', section: { id: 'more' } },
    ])
  })

  it('treats undefined members as absent, like JSON', async () => {
    const harness = await createPatchLab()
    const patch = [
      {
        op: 'replace',
        path: '/',
        value: { category: 'LOGIN', title: undefined, tags: undefined, fields: undefined },
      },
      { op: 'add', path: '/tags/-', value: 'x' },
      { op: 'add', path: '/fields', value: { id: undefined, type: 'URL', label: undefined } },
    ]
    expect(await harness.patch(patch)).toMatchObject({
      tags: ['x'],
      fields: [{ id: expect.stringMatching(/^[a-z2-7]{26}$/), type: 'URL' }],
    })
  })

  it('rejects a value that contains itself', async () => {
    const list: unknown[] = []
    list.push(list)
    const object: Record<string, unknown> = { type: 'STRING' }
    object['section'] = object
    for (const value of [list, object]) {
      for (const path of ['', '/fields', '/fields/pin', '/title', '/tags/0']) {
        expect(await (await createPatchLab()).refusal([{ op: 'add', path, value }])).toBe(
          `operation 0 ("${path}"): must not have a value of more than 32 levels`,
        )
      }
    }
  })

  it('ignores members that the operation does not use', async () => {
    const harness = await createPatchLab()
    const value: unknown[] = []
    value.push(value)
    const patched = await harness.patch([{ op: 'remove', path: '/title', value, from: value }])
    expect(patched).not.toHaveProperty('title')
  })

  it('accepts values of up to limits.depth levels', async () => {
    const harness = await createPatchLab({}, { limits: { depth: 2 } })
    const value = { type: 'STRING', section: {} }
    expect(await harness.patch([{ op: 'add', path: '/fields/new', value }])).toMatchObject({
      version: 2,
    })
    expect(await harness.refusal([{ op: 'add', path: '/fields', value: [value] }])).toBe(
      'operation 0 ("/fields"): must not have a value of more than 2 levels',
    )
  })

  it('does not modify a prototype through a key __proto__', async () => {
    const harness = await createPatchLab()
    const whole = JSON.parse(
      '{"category":"LOGIN","__proto__":{"title":"bad"},"constructor":{"prototype":{"bad":1}}}',
    )
    const field = JSON.parse('{"type":"STRING","__proto__":{"value":"bad"}}')
    const patched = await harness.patch([
      { op: 'replace', path: '/', value: whole },
      { op: 'add', path: '/fields/__proto__', value: field },
      { op: 'add', path: '/fields/constructor', value: field },
    ])
    expect(settable(patched)).toStrictEqual({
      category: 'LOGIN',
      favorite: false,
      tags: [],
      urls: [],
      sections: [],
      fields: [
        { id: '__proto__', type: 'STRING' },
        { id: 'constructor', type: 'STRING' },
      ],
    })
  })
})

describe('applyPatch', () => {
  it('can run twice with one plan and generates other ids each time', async () => {
    const { item } = await createPatchLab()
    const value = { type: 'STRING', section: { id: 'more' } }
    const patch: PatchOperation[] = [
      { op: 'add', path: '/fields', value },
      { op: 'remove', path: '/fields/pin/section/id' },
    ]
    const plan = planPatch(patch, resolveLimits())
    const run = (byte: number) =>
      applyPatch(item, plan, () => newId((length) => new Uint8Array(length).fill(byte)))
    expect(run(0)['fields']).toMatchObject([{}, {}, {}, { ...value, id: 'a'.repeat(26) }])
    expect(run(255)['fields']).toMatchObject([
      {},
      {},
      {},
      { ...value, id: expect.not.stringContaining('a') },
    ])
    expect(value).toStrictEqual({ type: 'STRING', section: { id: 'more' } })
  })

  it('uses no random bytes for a field that has an id', async () => {
    const { item } = await createPatchLab()
    const patch: PatchOperation[] = [
      { op: 'add', path: '/fields', value: { id: 'x', type: 'URL' } },
    ]
    const failingRandom = (): never => {
      throw new Error('no randomness')
    }
    expect(applyPatch(item, planPatch(patch, resolveLimits()), failingRandom)).toMatchObject({
      title: 'Example',
    })
    const withoutId: PatchOperation[] = [{ op: 'add', path: '/fields', value: { type: 'URL' } }]
    expect(() => applyPatch(item, planPatch(withoutId, resolveLimits()), failingRandom)).toThrow(
      new Error('no randomness'),
    )
  })

  it('returns an equal document for an empty patch', async () => {
    const { item } = await createPatchLab()
    const { vault } = item
    expect(patchedFrozen(item, [])).toStrictEqual({ ...settable(item), vault })
  })
})
