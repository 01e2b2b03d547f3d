/** Adds the field for notes that published clients expect in every login and password. */

/** The members of a field that are compared. */
interface NotesCandidate {
  readonly id?: string | undefined
  readonly purpose?: string | undefined
}

/** Default maximum number of fields of an item. */
const maxFields = 1000

/** The empty field for notes. */
const notes = { id: 'notesPlain', type: 'STRING', purpose: 'NOTES', label: 'notesPlain' } as const

/**
 * Adds an empty field for notes at the end, if the category is `LOGIN` or `PASSWORD`. Returns
 * `fields` itself for any other category, and if there already is a field for notes or with its id,
 * or there are 1,000 fields.
 */
export function addNotes<Field extends NotesCandidate>(
  category: string | undefined,
  fields: readonly Field[],
): readonly (Field | typeof notes)[] {
  const hasNotes = fields.some(({ id, purpose }) => purpose === 'NOTES' || id === notes.id)
  const isExpected = category === 'LOGIN' || category === 'PASSWORD'
  return isExpected && !hasNotes && fields.length < maxFields ? [...fields, notes] : fields
}
