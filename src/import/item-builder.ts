/** Builds the draft of an item from what a reader finds, so that every vault accepts it. */

import { isDay, isMonth } from '../base/calendar.js'
import type { FieldDraft, FieldPurpose, FieldType, ItemCategory, NewItemDraft } from '../index.js'
import { toFileName, toHref, toTotpUrl } from './field-values.js'
import type { ImportedFile, ReportLoss } from './result.js'
import { cutText } from './text.js'

/** The characters of an id that are kept. The id of a section is repeated in each of its fields. */
export const maxIdLength = 200
/** The characters of a tag that are kept. The name of a vault or folder is a tag of each item. */
export const maxTagLength = 500

/** A field of an item of an export. */
export interface FieldInput {
  /** Where the value was found. */
  readonly path: string
  readonly id: string
  /** A field with an empty value is left out. */
  readonly value: string
  readonly label?: string
  /** Default: `STRING`. */
  readonly type?: FieldType
  readonly purpose?: FieldPurpose
  /** A section that `addSection` returned. */
  readonly section?: string | undefined
}

/** An item that is being built. */
export interface ItemBuilder {
  readonly report: ReportLoss
  addField(field: FieldInput): void
  /** Adds the notes. A second note becomes an ordinary field. */
  addNotes(value: string, path: string): void
  /** Adds a section and returns its id. A section without fields and files is left out. */
  addSection(id: string, label: string): string
  /** Adds a tag once. If it is too long, reports that and adds its beginning. */
  addTag(tag: string, path: string): void
  /** Adds a URL once. If it is not a link, it becomes a field. */
  addUrl(url: string, label: string, path: string): void
  addFile(file: Omit<ImportedFile, 'sourceId'>, path: string): void
  build(item: { category: ItemCategory; title: string; favorite?: boolean }): NewItemDraft
  files(): readonly ImportedFile[]
}

/** Creates the builder of an item. `title` is needed only for one-time passwords without a name. */
export function createItemBuilder(
  sourceId: string,
  report: ReportLoss,
  title: string,
): ItemBuilder {
  const fields: FieldDraft[] = []
  const files: ImportedFile[] = []
  const sections = new Map<string, { readonly label: string; isUsed: boolean }>()
  const urls = new Map<string, string>()
  const tags = new Set<string>()
  const fieldIds = new Map<string, number>()
  const fileIds = new Map<string, number>()
  const sectionIds = new Map<string, number>()
  const purposes = new Set<FieldPurpose>()
  const useSection = (id: string | undefined): void => {
    const section = id === undefined ? undefined : sections.get(id)
    if (section !== undefined) section.isUsed = true
  }

  const builder: ItemBuilder = {
    report,
    addField({ path, section, ...input }) {
      if (input.value === '') return
      const { id, type = 'STRING', label, value } = convertValue(input, path, title, report)
      const purpose = input.purpose && !purposes.has(input.purpose) ? input.purpose : undefined
      if (purpose) purposes.add(purpose)
      useSection(section)
      fields.push({
        id: toUniqueId(id || 'field', fieldIds),
        type,
        ...(label && { label }),
        value,
        ...(purpose && { purpose }),
        ...(section !== undefined && { section: { id: section } }),
      })
    },
    addNotes: (value, path) =>
      builder.addField({ path, id: 'notesPlain', label: 'notesPlain', value, purpose: 'NOTES' }),
    addSection(id, label) {
      const unique = toUniqueId(id || 'section', sectionIds)
      sections.set(unique, { label, isUsed: false })
      return unique
    },
    addTag(tag, path) {
      const kept = cutText(tag, maxTagLength)
      if (kept !== tag)
        report(path, 'converted', `the tag was shortened to ${maxTagLength} characters`)
      if (kept.trim() !== '') tags.add(kept)
    },
    addUrl(url, label, path) {
      if (url.trim() === '') return
      const href = toHref(url)
      if (href === undefined) {
        report(path, 'converted', 'the URL is not a valid link and became a field')
        builder.addField({ path, id: 'url', label: label || 'website', value: url })
        return
      }
      if (href !== url.trim()) report(path, 'converted', 'the URL was completed with https://')
      if (!urls.has(href)) urls.set(href, label)
    },
    addFile({ id, name, ...file }, path) {
      const fileName = toFileName(name)
      if (fileName !== name)
        report(path, 'converted', 'the name of the file was shortened to its last part')
      useSection(file.sectionId)
      files.push({ sourceId, id: toUniqueId(id || 'file', fileIds), name: fileName, ...file })
    },
    build({ category, title: itemTitle, favorite }) {
      return {
        category,
        ...(itemTitle !== '' && { title: itemTitle }),
        ...(favorite && { favorite }),
        tags: [...tags],
        urls: [...urls].map(([href, label], index) => ({
          href,
          ...(label !== '' && { label }),
          ...(index === 0 && { primary: true }),
        })),
        sections: [...sections]
          .filter(([, { isUsed }]) => isUsed)
          .map(([id, { label }]) => ({ id, ...(label !== '' && { label }) })),
        fields,
      }
    },
    files: () => files,
  }
  return builder
}

/** Returns the field with a value that its type allows, or as a `STRING`. */
function convertValue(
  field: Omit<FieldInput, 'path' | 'section'>,
  path: string,
  title: string,
  report: ReportLoss,
): Omit<FieldInput, 'path' | 'section'> {
  const { type, value } = field
  if (type === 'TOTP' || /^otpauth:\/\//i.test(value)) {
    const url = toTotpUrl(value, title)
    if (url === undefined)
      report(path, 'converted', 'the one-time password has a form that no code is computed from')
    return { ...field, type: 'TOTP', value: url ?? value }
  }
  const isInvalid = (type === 'DATE' && !isDay(value)) || (type === 'MONTH_YEAR' && !isMonth(value))
  if (!isInvalid) return field
  report(path, 'converted', 'the date has an unknown form and became text')
  return { ...field, type: 'STRING' }
}

/**
 * Returns the first characters of the id, with a number if it is taken. `taken` has the last
 * number of each id, so that many equal ids cost linear time.
 */
function toUniqueId(given: string, taken: Map<string, number>): string {
  const id = cutText(given, maxIdLength)
  for (let number = (taken.get(id) ?? 0) + 1; ; number++) {
    taken.set(id, number)
    if (number === 1) return id
    const unique = `${id}-${number}`
    if (taken.has(unique)) continue
    taken.set(unique, 1)
    return unique
  }
}
