/** Replaces references to fields with the fields that they refer to (contract, section 7). */

import { InvalidInputError } from '../../errors.js'

/** A field that can be referred to. Only its section is used here. */
interface Referable {
  readonly section?: unknown
}

/** The fields and sections among which references are resolved. */
export interface ReferenceScope<Known extends Referable> {
  /** The fields that can be referred to. If two have the same id, the first one is used. */
  readonly fields: readonly Known[]
  /** The sections that the item has after the change. */
  readonly sections: readonly unknown[]
}

/**
 * Returns the fields of a body with each reference replaced by the field that it refers to.
 * Everything else is returned unchanged, even if it is not a field.
 * @throws InvalidInputError if the item does not have the field.
 */
export function resolveFieldReferences<Draft, Known extends Referable>(
  drafts: readonly Draft[],
  { fields, sections }: ReferenceScope<Known>,
): (Draft | Known | Omit<Known, 'section'>)[] {
  let byId: ReadonlyMap<unknown, Known> | undefined
  return drafts.map((draft, index) => {
    if (!isReference(draft)) return draft
    byId ??= new Map(fields.map((field) => [idOf(field), field] as const).reverse())
    const field = byId.get(draft.id)
    if (field !== undefined) return referredField(draft, field, sections)
    const message = missingFieldMessage(draft.id)
    throw new InvalidInputError(message, {
      issues: [{ path: `fields/${index}`, message: message }],
    })
  })
}

/** A part of a body that refers to a field. */
interface Reference {
  readonly id: string
  readonly section?: unknown
  readonly entropy?: unknown
}

/**
 * Returns true if a part of a body has an `id` and no attribute that defines a field.
 * `generate: false` asks for nothing, so it does not count.
 */
export function isReference(draft: unknown): draft is Reference {
  const { type, label, value, purpose, generate, recipe } = Object(draft)
  return (
    type === undefined &&
    label === undefined &&
    value === undefined &&
    purpose === undefined &&
    (generate === undefined || generate === false) &&
    recipe === undefined &&
    idOf(draft) !== undefined
  )
}

/**
 * Returns the field with the section and the entropy of the reference, which are validated like any
 * others. If the reference has no section, the field stays in its section if the item still has
 * that section.
 */
function referredField<Known extends Referable>(
  { section, entropy }: Reference,
  field: Known,
  sections: readonly unknown[],
): Known | Omit<Known, 'section'> {
  const checked = entropy === undefined ? field : { ...field, entropy }
  if (section !== undefined) return { ...checked, section }
  const sectionId = idOf(checked.section)
  if (sectionId === undefined || sections.some((one) => idOf(one) === sectionId)) return checked
  const { section: _, ...kept } = checked
  return kept
}

/**
 * Returns the contract's message for a field that does not exist. It contains the id only if the id
 * is 1 to 64 letters, digits, spaces and `_.:@-`.
 */
export function missingFieldMessage(id: string): string {
  return /^[\w .:@-]{1,64}$/.test(id)
    ? `The item doesn't have a ${id} field.`
    : "The item doesn't have that field."
}

function idOf(value: unknown): string | undefined {
  const id: unknown = Reflect.get(Object(value), 'id')
  return typeof id === 'string' ? id : undefined
}
