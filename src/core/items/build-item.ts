/** The one place where an item becomes whole and valid. */

import { type InputIssue, InvalidInputError } from '../../errors.js'
import type { FileDetails } from '../../schema/file.js'
import type { Item, ItemUrl, ParsedItem, Section } from '../../schema/item.js'
import type { Context } from '../runtime/context.js'
import { newId } from '../runtime/random.js'
import { type AddIssue, buildFields, type Writable } from './build-fields.js'
import { createGenerateOnce } from './generate-once.js'

/** What of an item the vault keeps, whatever a client sends. */
export type ManagedItemFields = Omit<
  Item,
  'category' | 'title' | 'favorite' | 'tags' | 'urls' | 'sections'
>

/**
 * The item that holds everything of `draft` that a client may set, and everything of `before` that the vault keeps.
 * Values are generated where that is asked for; a change that may be tried again passes the same `generate` each time.
 * @throws InvalidInputError that names each place where a rule of items is broken.
 */
export function buildItem(
  context: Pick<Context, 'randomBytes'>,
  draft: ParsedItem,
  before: ManagedItemFields,
  generate = createGenerateOnce(context.randomBytes),
): Item {
  const issues: InputIssue[] = []
  const addIssue: AddIssue = (path, message) => issues.push({ path, message })
  const source = { randomBytes: context.randomBytes, generate }
  const sections = buildSections(context, draft.sections ?? [], addIssue)
  const item: Item = {
    id: before.id,
    vault: before.vault,
    category: draft.category,
    ...(draft.title !== undefined && { title: draft.title }),
    favorite: draft.favorite ?? false,
    tags: draft.tags ?? [],
    urls: buildUrls(draft.urls ?? [], addIssue),
    ...(before.state !== undefined && { state: before.state }),
    version: before.version,
    createdAt: before.createdAt,
    updatedAt: before.updatedAt,
    lastEditedBy: before.lastEditedBy,
    sections,
    fields: buildFields(source, draft.fields ?? [], before.fields, sections, addIssue),
    files: filesIn(sections, before.files),
  }
  if (issues.length > 0) throw new InvalidInputError(issues)
  return item
}

/** The files without references to sections that are not among these; the very same array if there are none such. */
export function filesIn(
  sections: readonly Section[],
  files: readonly FileDetails[],
): readonly FileDetails[] {
  const ids = new Set(sections.map(({ id }) => id))
  const isLost = ({ section }: FileDetails): boolean =>
    section?.id !== undefined && !ids.has(section.id)
  if (!files.some(isLost)) return files
  return files.map((file) => {
    const { section: _, ...rest } = file
    return isLost(file) ? rest : file
  })
}

function buildSections(
  context: Pick<Context, 'randomBytes'>,
  drafts: NonNullable<ParsedItem['sections']>,
  addIssue: AddIssue,
): Section[] {
  const ids = new Set<string>()
  return drafts.map(({ id = newId(context.randomBytes), label }, index) => {
    if (ids.has(id)) addIssue(`sections/${index}/id`, 'must not be the id of another section')
    ids.add(id)
    return label === undefined ? { id } : { id, label }
  })
}

/** Whether a page that leads to the URL would run it. Most URLs need not be read to know. */
function isScriptUrl(href: string): boolean {
  if (/^https?:/.test(href) || !URL.canParse(href)) return false
  return /^(?:javascript|data):$/.test(new URL(href).protocol)
}

function buildUrls(drafts: NonNullable<ParsedItem['urls']>, addIssue: AddIssue): ItemUrl[] {
  let hasPrimary = false
  return drafts.map(({ href, label, primary }, index) => {
    if (isScriptUrl(href)) addIssue(`urls/${index}/href`, 'must not be a javascript: or data: URL')
    if (primary && hasPrimary) addIssue(`urls/${index}/primary`, 'must be true for one URL only')
    hasPrimary ||= primary === true
    const url: Writable<ItemUrl> = { href }
    if (label !== undefined) url.label = label
    if (primary !== undefined) url.primary = primary
    return url
  })
}
