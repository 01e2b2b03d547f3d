/** Reads an item as published clients send it, and adds what they leave to the server. */

import * as z from 'zod/mini'
import {
  type FieldPurpose,
  fieldDraftSchema,
  type ParsedField,
  storedFieldTypeSchema,
} from '../../schema/field.js'
import { itemDraftSchema, type ParsedItem } from '../../schema/item.js'
import { parseWithRef } from '../contract.js'
import type { DraftRef } from '../dialect.js'
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

const idsOfPurposes: ReadonlyMap<FieldPurpose | undefined, string> = new Map([
  ['USERNAME', 'username'],
  ['PASSWORD', 'password'],
  ['NOTES', 'notesPlain'],
])

/**
 * What `body` says of an item of this place. It may leave out its vault, and of a field the id (which becomes
 * `username`, `password` or `notesPlain` on a field of that purpose where no other has it) and the type (`CONCEALED`
 * for a password); a section that only a field names is added, with an empty label.
 * @throws InvalidInputError
 */
export function parseConnectItem(body: unknown, ref: DraftRef): ParsedItem {
  const draft = parseWithRef(connectDraftSchema, normalizeItem(body), ref)
  if (draft.fields === undefined) return draft
  return { ...draft, fields: withDefaultIds(draft.fields.map(withType)) }
}

/** What has no type and is no password is a `STRING`, or only refers to a field that is there. */
function withType(field: ParsedField): ParsedField {
  const isUntypedPassword = field.type === undefined && field.purpose === 'PASSWORD'
  return isUntypedPassword ? { ...field, type: 'CONCEALED' } : field
}

function withDefaultIds(fields: readonly ParsedField[]): ParsedField[] {
  const taken = new Set(fields.map(({ id }) => id))
  return fields.map((field) => {
    const id = idsOfPurposes.get(field.purpose)
    if (field.id !== undefined || id === undefined || taken.has(id)) return field
    taken.add(id)
    return { ...field, id }
  })
}
