/** Marks imported items with their source, and finds those of an earlier import by the mark. */

import { listPages } from '../base/list-pages.js'
import {
  type CallerOperations,
  type CallOptions,
  ContentTooLargeError,
  type Item,
  type NewItemDraft,
} from '../index.js'
import type { ImportedItem } from './result.js'

/** How many items are listed, and how many are read, in one call. */
const pageSize = 100

/** The part of an existing item that an import needs. */
export type ImportedBefore = Pick<Item, 'id' | 'version' | 'state'> & {
  readonly fileIds: ReadonlySet<string>
}

/**
 * Reads every item of a vault, and returns the imported ones by source id. If two have the same
 * source id, returns the one with the smaller id. Rejects if an item is unreadable.
 */
export async function findImported(
  operations: CallerOperations,
  vaultId: string,
): Promise<Map<string, ImportedBefore>> {
  const found = new Map<string, ImportedBefore>()
  const strict: CallOptions = {
    // This item may already be imported.
    onUnreadable(error) {
      throw error
    },
  }
  const pages = listPages(
    (position) => operations.listItems({ vaultId, ...position }, strict),
    pageSize,
  )
  for await (const page of pages) {
    const ids = page.map(({ id }) => id)
    for (const item of await readItems(operations, vaultId, ids)) {
      const sourceId = sourceIdOf(item)
      if (sourceId === undefined || found.has(sourceId)) continue
      const { id, version, state, files } = item
      const fileIds = new Set(files.map((file) => file.id.toLowerCase()))
      found.set(sourceId, { id, version, fileIds, ...(state !== undefined && { state }) })
    }
  }
  return found
}

/** Returns the items. Those that are too large for one call are read in two. */
async function readItems(
  operations: CallerOperations,
  vaultId: string,
  itemIds: readonly string[],
): Promise<readonly Item[]> {
  if (itemIds.length === 0) return []
  try {
    return await operations.getItems({ vaultId, itemIds })
  } catch (error) {
    if (!(error instanceof ContentTooLargeError) || itemIds.length === 1) throw error
    const middle = Math.ceil(itemIds.length / 2)
    return [
      ...(await readItems(operations, vaultId, itemIds.slice(0, middle))),
      ...(await readItems(operations, vaultId, itemIds.slice(middle))),
    ]
  }
}

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

/** Returns the source id of an item, or undefined if it was not imported. */
function sourceIdOf({ fields }: Pick<Item, 'fields'>): string | undefined {
  return fields.find(({ id }) => id === sourceField)?.value
}
