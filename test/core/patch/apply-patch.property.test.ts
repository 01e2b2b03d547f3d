import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Field, Item } from '../../../src/index.js'
import { drawItem, drawing, drawnNumbers } from '../../support/arbitraries/items.js'
import { drawPatch } from '../../support/arbitraries/patches.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { generated, modelItem } from '../../support/items/item-model.js'
import { settable } from '../../support/items/patch-harness.js'
import {
  type Json,
  type ModelOperation,
  modelStep,
  newId,
} from '../../support/items/patch-model.js'
import { createOneItem } from '../../support/items/single-item.js'
import { isUnpolluted } from '../../support/source/prototype-pollution.js'

describe('patchItem and the model of the dialect', () => {
  it('accept the same patches and make the same items of them', { timeout: 60_000 }, async () => {
    const count = { accepted: 0, long: 0 }
    const law = fc.asyncProperty(drawnNumbers, async (numbers) => {
      const draw = drawing(numbers)
      const { item, ...one } = await createOneItem(drawItem(draw))
      const patch = drawPatch(settable(item), draw)
      const outcome = await one.patch(patch)
      const model = modelled(item, patch)
      const seen = 'issues' in outcome ? undefined : comparable(outcome, model)
      const expected = model && { ...model, entropies: modelledEntropies(model, item) }
      if (!isDeepStrictEqual(seen, expected)) expect({ item, patch, seen }).toBe(expected)
      count.accepted += model ? 1 : 0
      count.long += model && patch.length > 2 ? 1 : 0
    })
    await fc.assert(law, { numRuns: propertyRuns() })
    expect(count.long).toBeGreaterThan(propertyRuns(3000))
    expect(count.accepted).toBeGreaterThan(propertyRuns(6000))
    expect(count.accepted).toBeLessThan(9500)
    expect(isUnpolluted()).toBe(true)
  })
})

function modelled(item: Item, patch: readonly ModelOperation[]): Json | undefined {
  let state: Json | undefined = settable(item)
  for (const operation of patch) state = state && modelStep(state, operation)
  return state && modelItem(state)
}

/** What a client may set of the item, and which fields have an entropy; what is random is said as the model says it. */
function comparable(item: Item, model: Json | undefined): Json {
  const modelFields = (model?.['fields'] ?? []) as readonly Field[]
  return {
    ...settable(item),
    sections: item.sections.map((section) => ({ ...section, id: idIn(section.id) })),
    fields: item.fields.map(({ entropy: _, ...field }, index) => ({
      ...field,
      id: idIn(field.id),
      ...(modelFields[index]?.value === generated && field.value && { value: generated }),
    })),
    entropies: item.fields.map(({ entropy }) => entropy !== undefined),
  }
}

/** Only a password that was generated has an entropy: in this patch, or before if it is still the same. */
function modelledEntropies(model: Json, before: Item): boolean[] {
  return (model['fields'] as Field[]).map(({ id, value, purpose }) => {
    const same = before.fields.find((field) => field.id === id && field.value === value)
    return purpose === 'PASSWORD' && (value === generated || same?.entropy !== undefined)
  })
}

function idIn(id: string): string {
  return /^[a-z2-7]{26}$/.test(id) ? newId : id
}
