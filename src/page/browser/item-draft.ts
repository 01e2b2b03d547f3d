/** The state of the form for items, and the request bodies that it becomes. */

import { escapePointerToken } from '../../base/json-text.js'
import type { Field, Item } from '../../index.js'
import { isConcealed } from './concealed.js'

/** A field in the form. */
export interface FieldState {
  /** Identifies the field in the form. */
  readonly key: string
  /** The stored field. Undefined for a new one. */
  readonly stored?: Field
  readonly label: string
  readonly type: string
  readonly purpose?: Field['purpose']
  /** Undefined if the stored value stays. */
  readonly value?: string
  /** True if the service generates a new value. */
  readonly isGenerated: boolean
  readonly sectionId: string
}

/** The state of the form. */
export interface ItemState {
  readonly title: string
  readonly category: string
  readonly isFavorite: boolean
  /** Separated by commas. */
  readonly tags: string
  /** One on each line. */
  readonly urls: string
  readonly fields: readonly FieldState[]
}

/** An operation of a JSON Patch (RFC 6902). */
export interface PatchStep {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
  readonly value?: unknown
}

const templates: Readonly<Record<string, readonly Omit<FieldState, 'key'>[]>> = {
  LOGIN: [
    template('username', 'STRING', 'USERNAME'),
    template('password', 'CONCEALED', 'PASSWORD'),
  ],
  PASSWORD: [template('password', 'CONCEALED', 'PASSWORD')],
  SECURE_NOTE: [template('notesPlain', 'STRING', 'NOTES')],
  API_CREDENTIAL: [template('username', 'STRING'), template('credential', 'CONCEALED')],
}

function template(
  label: string,
  type: string,
  purpose?: Field['purpose'],
): Omit<FieldState, 'key'> {
  const base = { label, type, value: '', isGenerated: false, sectionId: '' }
  return purpose === undefined ? base : { ...base, purpose }
}

/** Returns a new form field with a random key. The field is empty unless you pass `state`. */
export function newField(state: Partial<FieldState> = {}): FieldState {
  const bytes = crypto.getRandomValues(new Uint8Array(26))
  const key = Array.from(bytes, (byte) => (byte % 32).toString(32)).join('')
  return { ...template('', 'STRING'), ...state, key }
}

/** Returns the form for a new item of a category. */
export function emptyItem(category = 'LOGIN'): ItemState {
  const fields = (templates[category] ?? []).map((state) => newField(state))
  return { title: '', category, isFavorite: false, tags: '', urls: '', fields }
}

/** Returns the form for an item. Values that are masked are not in it. */
export function toItemState(item: Item): ItemState {
  return {
    title: item.title ?? '',
    category: item.category,
    isFavorite: item.favorite,
    tags: item.tags.join(', '),
    urls: item.urls.map(({ href }) => href).join('\n'),
    fields: item.fields.map((stored) => ({
      key: `stored-${stored.id}`,
      stored,
      label: stored.label ?? '',
      type: stored.type,
      ...(stored.purpose !== undefined && { purpose: stored.purpose }),
      ...(!isConcealed(stored) && { value: stored.value ?? '' }),
      isGenerated: false,
      sectionId: stored.section?.id ?? '',
    })),
  }
}

/** Returns the body that creates the item. */
export function toDraft(state: ItemState, vaultId: string): object {
  return {
    vault: { id: vaultId },
    category: state.category,
    title: state.title,
    favorite: state.isFavorite,
    tags: tagsOf(state),
    urls: hrefsOf(state).map((href, index) => ({ href, primary: index === 0 })),
    fields: state.fields.map((field) => toFieldDraft(field, idOfTemplate(field))),
  }
}

/** Returns the patch that makes the item equal to the form: only what has changed. */
export function toPatch(item: Item, state: ItemState): readonly PatchStep[] {
  const before = toItemState(item)
  const steps: PatchStep[] = []
  const set = (path: string, value: unknown): number => steps.push({ op: 'add', path, value })
  if (state.title !== before.title) set('/title', state.title)
  if (state.isFavorite !== before.isFavorite) set('/favorite', state.isFavorite)
  if (state.tags !== before.tags) set('/tags', tagsOf(state))
  if (state.urls !== before.urls) {
    const known = new Map(item.urls.map((url) => [url.href, url]))
    set(
      '/urls',
      hrefsOf(state).map((href) => known.get(href) ?? { href }),
    )
  }
  const kept = new Set(state.fields.map(({ stored }) => stored?.id))
  for (const { id } of item.fields)
    if (!kept.has(id)) steps.push({ op: 'remove', path: fieldPath(id) })
  for (const field of state.fields) {
    if (field.stored === undefined) set('/fields/-', toFieldDraft(field))
    else steps.push(...fieldSteps(field.stored, field))
  }
  return steps
}

/** Returns the operations for the changes of one stored field. */
function fieldSteps(stored: Field, field: FieldState): readonly PatchStep[] {
  const path = fieldPath(stored.id)
  const steps: PatchStep[] = []
  const set = (name: string, value: unknown): number =>
    steps.push({ op: 'add', path: `${path}/${name}`, value })
  if (field.label !== (stored.label ?? '')) set('label', field.label)
  if (field.type !== stored.type) set('type', field.type)
  if (field.sectionId !== (stored.section?.id ?? '')) {
    if (field.sectionId === '') steps.push({ op: 'remove', path: `${path}/section` })
    else set('section', { id: field.sectionId })
  }
  if (field.isGenerated) {
    // The service generates only where there is no value.
    if (stored.value !== undefined) steps.push({ op: 'remove', path: `${path}/value` })
    set('generate', true)
  } else if (field.value !== undefined && field.value !== (stored.value ?? '')) {
    set('value', field.value)
  }
  return steps
}

function toFieldDraft(field: FieldState, id?: string): object {
  const { label, type, purpose, value, isGenerated, sectionId } = field
  return {
    ...(id !== undefined && { id }),
    label,
    type,
    ...(purpose && { purpose }),
    ...(isGenerated ? { generate: true } : { value: value ?? '' }),
    ...(sectionId !== '' && { section: { id: sectionId } }),
  }
}

/** Returns an id that the contract requires of a field in a draft. */
function idOfTemplate({ purpose, label, key }: FieldState): string {
  return purpose ? label : key
}

function fieldPath(id: string): string {
  return `/fields/${escapePointerToken(id)}`
}

function tagsOf({ tags }: ItemState): readonly string[] {
  const all = tags.split(',').map((tag) => tag.trim())
  return [...new Set(all.filter((tag) => tag !== ''))]
}

function hrefsOf({ urls }: ItemState): readonly string[] {
  return urls
    .split('\n')
    .map((url) => url.trim())
    .filter((url) => url !== '')
}
