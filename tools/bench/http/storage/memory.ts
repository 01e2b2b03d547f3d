/** The storage of the competitors by hand: Maps of item objects and of contents. */

import { newId, type StoredItem } from '../../building-blocks.js'
import { content, listedCount, listedVaultId, storedItem } from '../../sample.js'
import {
  createItem,
  findFile,
  type HandwrittenVault,
  patchItem,
  replaceItem,
  requireFound,
  requireVault,
  toBase64,
  toSummary,
} from '../handwritten-vault.js'

/** Creates a vault with `count` stored items, each with a file. Its results are no promises. */
export function createMemoryVault(count: number) {
  const items = new Map<string, StoredItem>()
  const contents = new Map<string, Uint8Array<ArrayBuffer>>()
  for (let index = 0; index < count; index++) {
    const id = newId()
    items.set(id, storedItem(id, index))
    contents.set(id, content.slice())
  }
  const listed = Array.from({ length: listedCount }, (_, index) =>
    storedItem(newId(), index, listedVaultId),
  )
  const find = (vault: string, id: string): StoredItem => {
    requireVault(vault)
    return requireFound(items.get(id), id)
  }
  const put = (item: StoredItem): StoredItem => {
    items.set(item.id, item)
    return item
  }
  return {
    itemIds: [...items.keys()],
    createItem(vault, body) {
      requireVault(vault)
      return put(createItem(body))
    },
    replaceItem: (vault, id, body) => put(replaceItem(find(vault, id), body)),
    patchItem: (vault, id, body) => put(patchItem(find(vault, id), body)),
    getItem: find,
    listItems(vault) {
      requireVault(vault)
      return listed.map(toSummary)
    },
    getFile(vault, id, fileId) {
      const file = findFile(find(vault, id), fileId)
      return { ...file, content: toBase64(requireFound(contents.get(id), id)) }
    },
  } satisfies HandwrittenVault
}
