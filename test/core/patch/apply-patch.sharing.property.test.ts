import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyPatch, planPatch } from '../../../src/core/patch/apply-patch.js'
import { resolveLimits } from '../../../src/core/runtime/limits.js'
import type { Item, PatchOperation } from '../../../src/index.js'
import { createTestVault, loginDraft } from '../../../src/testing.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

const limits = resolveLimits(undefined)
const { array, constantFrom, oneof, record } = fc
const fieldId = constantFrom('a', 'b')
const sectionId = constantFrom('s', 't')
const text = fc.string({ minLength: 1, maxLength: 2 })
const section = record({ id: sectionId }, { requiredKeys: [] })
const reference = record({ id: fieldId, section }, { requiredKeys: ['id'] })
const recipe = record({ length: fc.nat(9) })
const field = record({ id: fieldId, value: text, section, recipe }, { requiredKeys: ['id'] })
const anyField = oneof(reference, field)
const fields = array(anyField, { maxLength: 4 })
const sections = array(record({ id: sectionId, label: text }), { maxLength: 2 })
const write = constantFrom('add', 'replace')
const anyOp = constantFrom('add', 'replace', 'remove')

const path = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((tokens) => tokens.map((token) => `/${token}`).join(''))
const at = (...names: readonly string[]) => constantFrom(...names)

/** Few ids, so that fields are often referred to twice and then changed. */
const operation = oneof(
  record({ op: write, path: at('/fields'), value: fields }),
  record({ op: write, path: path(at('fields'), constantFrom('a', 'b', '-')), value: anyField }),
  record({ op: anyOp, path: path(at('fields'), fieldId), value: field }),
  record({
    op: anyOp,
    path: path(at('fields'), fieldId, at('value', 'recipe/length', 'section/id')),
    value: text,
  }),
  record({ op: write, path: path(at('fields'), fieldId, at('section')), value: section }),
  record({ op: write, path: path(at('fields'), fieldId, at('recipe')), value: recipe }),
  record({ op: write, path: path(at('sections'), at('0', '1', '0/label')), value: text }),
  record({ op: write, path: at('/sections'), value: sections }),
  record({ op: anyOp, path: path(at('tags'), at('0', '1', '-')), value: text }),
  record({ op: write, path: at('/tags'), value: array(text, { maxLength: 2 }) }),
  record({ op: at('replace'), path: at(''), value: record({ fields, sections }) }),
) as fc.Arbitrary<PatchOperation>

describe('applyPatch compared with one call and one copy for each operation', () => {
  it('returns the same document, also again, and changes neither item nor plan', async () => {
    const { vaultId, item: template } = await createTestVault()
    const { title } = loginDraft(vaultId)
    const item = {
      ...template,
      title: `${title}`,
      tags: ['x'],
      sections: [{ id: 's' }, { id: 't' }],
      fields: ['a', 'b'].map((id) => ({ id, type: 'STRING', value: id, section: { id: 's' } })),
    }
    const itemBefore = structuredClone(item)
    let long = 0
    const law = fc.property(array(operation, { maxLength: 40, size: 'max' }), (operations) => {
      const patch: PatchOperation[] = []
      let expected: unknown = structuredClone(item)
      for (const one of operations) {
        const changed = tryToApply(structuredClone(expected) as Item, one)
        if (changed === undefined) continue
        expected = structuredClone(changed)
        patch.push(one)
      }
      if (patch.length === 0) return
      const plan = planPatch(patch, limits)
      const planBefore = structuredClone(plan)
      for (const _ of ['first', 'retried'])
        expect(applyPatch(item, plan, () => 'new')).toEqual(expected)
      expect([item, plan]).toEqual([itemBefore, planBefore])
      long += patch.length > 5 ? 1 : 0
    })
    fc.assert(law, { numRuns: propertyRuns(5000) })
    expect(long).toBeGreaterThan(propertyRuns(1000))
  })
})

/** Returns the document after one operation; undefined if the operation cannot be applied. */
function tryToApply(item: Item, operation: PatchOperation): object | undefined {
  try {
    return applyPatch(item, planPatch([operation], limits), () => 'new')
  } catch {
    return undefined
  }
}
