import { describe, expect, it } from 'vitest'
import type { Item, PatchOperation } from '../src/index.js'
import { createTestVault, type TestVault } from '../src/testing.js'
import { itemRef } from './support/items/refs.js'
import { findBlocks } from './support/source/pages.js'

/** The patches of the page, in its order. */
const patches = findBlocks('docs/patching.md')
  .filter(({ kind }) => kind === 'json')
  .map(({ text }): PatchOperation[] => JSON.parse(text))

/** Applies the patch at `index`. Returns the items before and after it. */
async function apply(index: number): Promise<{ vault: TestVault; before: Item; after: Item }> {
  const vault = await createTestVault()
  const { service, caller, item: before } = vault
  const patch = patches[index] ?? []
  return { vault, before, after: await service.patchItem(caller, { ...itemRef(vault), patch }) }
}

describe('docs/patching.md', () => {
  it('has five patches', () => {
    expect(patches).toHaveLength(5)
  })

  it('renames an item', async () => {
    const { before, after } = await apply(0)
    expect(after).toEqual({ ...before, title: 'Router', version: 4 })
  })

  it('adds a tag', async () => {
    const { before, after } = await apply(1)
    expect(after).toEqual({ ...before, tags: [...before.tags, 'network'], version: 4 })
  })

  it('generates a value again, like regenerateField with the same recipe', async () => {
    const { vault, before, after } = await apply(2)
    const [username, password, pin] = before.fields
    const generated = {
      ...password,
      value: expect.stringMatching(/^[A-Za-z\d!@.\-_*]{20}$/),
      entropy: expect.closeTo(121.437, 3),
    }
    const fields = [username, generated, pin]
    expect(after).toEqual({ ...before, fields, version: 4 })
    const input = { ...itemRef(vault), fieldId: 'password', recipe: { length: 20 } }
    const again = await vault.service.regenerateField(vault.caller, input)
    expect(again).toEqual({ ...before, fields, version: 5 })
    expect(again.fields[1]?.value).not.toBe(after.fields[1]?.value)
  })

  it('removes a field', async () => {
    const { before, after } = await apply(3)
    expect(after).toEqual({ ...before, fields: before.fields.slice(0, 2), version: 4 })
  })

  it('moves a field to a new section', async () => {
    const { before, after } = await apply(4)
    const [username, password, pin] = before.fields
    expect(after).toEqual({
      ...before,
      sections: [...before.sections, { id: 'wifi', label: 'Wi-Fi' }],
      fields: [username, { ...password, section: { id: 'wifi' } }, pin],
      version: 4,
    })
  })

  it('generates nothing without removing the value where the service is not strict', async () => {
    const { service, caller, ...vault } = await createTestVault({ strict: false })
    const patch = patches[2]?.slice(1) ?? []
    const after = await service.patchItem(caller, { ...itemRef(vault), patch })
    expect(after.fields).toEqual(vault.item.fields)
  })
})
