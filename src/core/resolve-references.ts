/** Puts the stored field in the place of a mere reference to it. */

import { InvalidInputError } from '../errors.js'
import type { Field } from '../schema/field.js'

const defining = ['type', 'label', 'value', 'purpose', 'generate', 'recipe'] as const

/**
 * The fields of a body, where those that are nothing but an id (of whichever section) stand for the stored field of
 * that id. Elements that are no fields at all are left for the schema to refuse.
 * @throws InvalidInputError if the stored fields lack one that is referred to.
 */
export function resolveReferences<Draft>(drafts: readonly Draft[], stored: readonly Field[]): (Draft | Field)[] {
  return drafts.map((draft, index) => {
    const id = referenceOf(draft)
    if (id === undefined) return draft
    const field = stored.find((candidate) => candidate.id === id)
    if (field !== undefined) return field
    const sentence = missingField(id)
    throw new InvalidInputError([{ path: `fields/${index}`, message: sentence }], sentence)
  })
}

/** The contract's sentence for a field that is not there; without the id where that is no name one would print. */
export function missingField(id: string): string {
  return /^[\w .:@-]{1,64}$/.test(id) ? `The item doesn't have a ${id} field.` : "The item doesn't have that field."
}

function referenceOf(draft: unknown): string | undefined {
  if (typeof draft !== 'object' || draft === null) return undefined
  const id: unknown = Reflect.get(draft, 'id')
  const isBare = defining.every((name) => Reflect.get(draft, name) === undefined)
  return isBare && typeof id === 'string' ? id : undefined
}
