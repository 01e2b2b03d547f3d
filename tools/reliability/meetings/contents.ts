/** The secret contents of items and files. Each has the mark of the step that writes it. */

import type { Item, ItemDraft } from 'cofferkit'

/** The beginning of every secret value. */
export const secretStart = 'hush-hush-'

/** Returns the secret value for a mark. */
export function secretOf(mark: string): string {
  return `${secretStart}${mark}`
}

/** The title of every item that a step makes itself. */
export const itemTitle = 'Item'

/** Returns an item with the secret value for a mark. */
export function draftOf(vaultId: string, mark: string): ItemDraft {
  return {
    vault: { id: vaultId },
    category: 'LOGIN',
    title: itemTitle,
    fields: [{ id: 'secret', type: 'CONCEALED', value: secretOf(mark) }],
  }
}

/** Returns the mark of an item. */
export function markOf(item: Item): string {
  return item.fields[0]?.value?.slice(secretStart.length) ?? 'no value'
}

/** Returns the content of the file of this name. */
export function contentOf(name: string): string {
  return secretOf(name).repeat(20)
}
