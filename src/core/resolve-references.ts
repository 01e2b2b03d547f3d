/** Puts the stored field in the place of a mere reference to it. */

import { InvalidInputError } from '../errors.js'

const defining = ['type', 'label', 'value', 'purpose', 'generate', 'recipe'] as const

/**
 * The fields of a body, where those that are nothing but an id (of whichever section) stand for the field of that id
 * among those that are there, the first of them; none is there if `known` is undefined. Elements that are no fields at
 * all are left for the schema to refuse.
 * @throws InvalidInputError if there is none that is referred to.
 */
export function resolveReferences<Draft, Known>(
  drafts: readonly Draft[],
  known: readonly Known[] | undefined,
): (Draft | Known)[] {
  let byId: ReadonlyMap<unknown, Known> | undefined
  return drafts.map((draft, index) => {
    const id = referenceOf(draft)
    if (id === undefined) return draft
    byId ??= new Map(known?.map((field) => [idOf(field), field] as const).reverse())
    const field = byId.get(id)
    if (field !== undefined) return field
    const sentence = missingField(id)
    throw InvalidInputError.at(`fields/${index}`, sentence, sentence)
  })
}

/** The contract's sentence for a field that is not there; without the id where that is no name one would print. */
export function missingField(id: string): string {
  return /^[\w .:@-]{1,64}$/.test(id)
    ? `The item doesn't have a ${id} field.`
    : "The item doesn't have that field."
}

function referenceOf(draft: unknown): string | undefined {
  const id = idOf(draft)
  return defining.some((name) => Reflect.get(Object(draft), name) !== undefined) ? undefined : id
}

function idOf(field: unknown): string | undefined {
  const id: unknown = Reflect.get(Object(field), 'id')
  return typeof id === 'string' ? id : undefined
}
