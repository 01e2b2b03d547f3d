/** The section of an imported item that says where it came from, by which imports recognize it. */

import type { NewItemDraft } from '../core/items/create-item.js'
import type { Item } from '../schema/item.js'
import type { ImportedItem } from './result.js'

const section = 'cofferkit-import'
const sourceField = 'cofferkit-import-source'
const createdField = 'cofferkit-import-created'
const updatedField = 'cofferkit-import-updated'
const ownFields: readonly string[] = [sourceField, createdField, updatedField]

/**
 * Returns the draft of an imported item with a last section `Import`: the source id, and the times
 * of the source, which cannot become those of the item.
 */
export function withMarker({ sourceId, item, createdAt, updatedAt }: ImportedItem): NewItemDraft {
  const { sections = [], fields = [] } = item
  const toField = (id: string, label: string, value: string | undefined) =>
    value === undefined ? [] : [{ id, label, value, section: { id: section } }]
  return {
    ...item,
    sections: [...sections.filter(({ id }) => id !== section), { id: section, label: 'Import' }],
    fields: [
      ...fields.filter(({ id }) => !ownFields.includes(id)),
      ...toField(sourceField, 'source', sourceId),
      ...toField(createdField, 'created', createdAt),
      ...toField(updatedField, 'updated', updatedAt),
    ],
  }
}

/** Returns the source id of an item; undefined if it was not imported. */
export function sourceIdOf({ fields }: Pick<Item, 'fields'>): string | undefined {
  return fields.find(({ id }) => id === sourceField)?.value
}
