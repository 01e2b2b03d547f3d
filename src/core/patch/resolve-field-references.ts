/** Replaces references to fields by the fields themselves (contract, section 7). */

import { InvalidInputError } from '../../errors.js'

const definingKeys = ['type', 'label', 'value', 'purpose', 'generate', 'recipe'] as const

/** A field that can be referred to, of which only the section matters here. */
interface Referable {
  readonly section?: unknown
}

/** The fields and sections among which references are resolved. */
export interface ReferenceScope<Known extends Referable> {
  /** The fields that may be referred to; if two have one id, the first. */
  readonly fields: readonly Known[]
  /** The sections that the item has afterwards. */
  readonly sections: readonly unknown[]
}

/**
 * The fields of a body, each reference among them replaced by the field it refers to. Everything else is returned
 * unchanged, even if it is not a field at all.
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
    const sentence = missingFieldMessage(draft.id)
    throw InvalidInputError.at(`fields/${index}`, sentence, sentence)
  })
}

/** A part of a body that refers to a field. */
interface Reference {
  readonly id: string
  readonly section?: unknown
  readonly entropy?: unknown
}

/** Whether a part of a body has an `id` and nothing that defines a field: it refers to one then. */
function isReference(draft: unknown): draft is Reference {
  return (
    idOf(draft) !== undefined &&
    definingKeys.every((name) => Reflect.get(Object(draft), name) === undefined)
  )
}

/**
 * The field with the section and the entropy of the reference, which the schema checks like any other. A reference
 * without a section keeps the field's own, unless the item no longer has it.
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

/** The contract's sentence for a field that does not exist; without the id unless that can be printed as a name. */
export function missingFieldMessage(id: string): string {
  return /^[\w .:@-]{1,64}$/.test(id)
    ? `The item doesn't have a ${id} field.`
    : "The item doesn't have that field."
}

function idOf(value: unknown): string | undefined {
  const id: unknown = Reflect.get(Object(value), 'id')
  return typeof id === 'string' ? id : undefined
}
