/** Parses an item as published clients send it, and adds the ids and types that they omit. */

import {
  type FieldPurpose,
  fieldDraftSchema,
  type ParsedField,
  storedFieldTypeSchema,
} from '../../schema/field.js'
import { itemDraftSchema, type ParsedItem } from '../../schema/item.js'
import * as z from '../../schema/zod.js'
import { parseWithRef } from '../contract.js'
import type { DraftRef } from '../dialect.js'
import { addNotes } from './add-notes.js'
import { normalizeItem } from './normalize.js'

const optionalText = z.optional(z.string())

const connectDraftSchema = z.extend(z.partial(itemDraftSchema, { vault: true }), {
  urls: z.optional(
    z.array(z.object({ href: z.string(), label: optionalText, primary: z.optional(z.boolean()) })),
  ),
  fields: z.optional(
    z.array(
      z.extend(fieldDraftSchema, { id: optionalText, type: z.optional(storedFieldTypeSchema) }),
    ),
  ),
})

const defaultIds: ReadonlyMap<FieldPurpose | undefined, string> = new Map([
  ['USERNAME', 'username'],
  ['PASSWORD', 'password'],
  ['NOTES', 'notesPlain'],
])

/**
 * Parses the body of an item for the vault and the item of `ref`.
 *
 * - The body can omit its vault.
 * - A field can omit its id. It becomes `username`, `password` or `notesPlain` for a field of that
 *   purpose, unless another field has that id.
 * - A field can omit its type. A field of purpose `PASSWORD` then has the type `CONCEALED`.
 * - If only a field refers to a section, the section is added with an empty label. If a patch
 *   removes a section that still has a field, the section stays.
 * - A new login and a new password without a field for notes get an empty one.
 *
 * @throws InvalidInputError
 */
export function parseConnectItem(body: unknown, ref: DraftRef): ParsedItem {
  const draft = parseWithRef(connectDraftSchema, normalizeItem(body, ref.sections), ref)
  const given = withDefaultIds((draft.fields ?? []).map(withDefaultType))
  // Not when an item is changed, because a field may refer to the stored notes.
  const fields = ref.itemId === undefined ? addNotes(draft.category, given) : given
  return fields.length === 0 ? draft : { ...draft, fields }
}

/**
 * Other fields without a type stay unchanged. They become a `STRING`, or refer to a stored field.
 */
function withDefaultType(field: ParsedField): ParsedField {
  const isUntypedPassword = field.type === undefined && field.purpose === 'PASSWORD'
  return isUntypedPassword ? { ...field, type: 'CONCEALED' } : field
}

function withDefaultIds(fields: readonly ParsedField[]): ParsedField[] {
  const taken = new Set(fields.map(({ id }) => id))
  return fields.map((field) => {
    const id = defaultIds.get(field.purpose)
    if (field.id !== undefined || id === undefined || taken.has(id)) return field
    taken.add(id)
    return { ...field, id }
  })
}
