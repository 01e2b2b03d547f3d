/** The baselines: the shortest straight-line code for each job, with the same building blocks. */

import type { ItemDraft, PatchOperation } from 'cofferkit'
import jsonpatch from 'fast-json-patch'
import {
  draftSchema,
  itemSchema,
  newId,
  type StoredFile,
  type StoredItem,
  toIndexedPatch,
} from '../building-blocks.js'
import { toSummary } from '../http/handwritten-vault.js'
import { content, fileId, listedCount, listedVaultId, storedItem } from '../sample.js'
import type { Contender } from './contender-process.js'

type Records = Map<string, Uint8Array<ArrayBuffer>>

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Creates the contender with `count` stored items. */
export async function createContender(count: number): Promise<Contender> {
  const records: Records = new Map()
  const itemIds = Array.from({ length: count }, () => newId())
  const contents: Records = new Map()
  const listed: Records = new Map()
  for (let index = 0; index < listedCount; index++) {
    const id = newId()
    await put(listed, id, storedItem(id, index, listedVaultId))
  }
  for (const [index, id] of itemIds.entries()) {
    await put(records, id, storedItem(id, index))
    contents.set(id, content.slice())
  }
  return {
    itemIds,
    createItem: (body) => createItem(records, body),
    getItem: (itemId) => getItem(records, itemId),
    listItems: async () =>
      Promise.all([...listed.keys()].map(async (id) => toSummary(await getItem(listed, id)))),
    replaceItem: (itemId, body) => replaceItem(records, itemId, body),
    patchItem: (itemId, patch) => patchItem(records, itemId, patch),
    getFile: (itemId) => getFile(records, contents, itemId),
  }
}

async function createItem(records: Records, body: ItemDraft): Promise<StoredItem> {
  const now = new Date().toISOString()
  const item = {
    id: newId(),
    ...draftSchema.parse(body),
    version: 1,
    createdAt: now,
    updatedAt: now,
    lastEditedBy: 'bench',
    files: [],
  }
  await put(records, item.id, item)
  return item
}

async function getItem(records: Records, itemId: string): Promise<StoredItem> {
  return JSON.parse(decoder.decode(await get(records, itemId)))
}

async function replaceItem(records: Records, itemId: string, body: ItemDraft): Promise<StoredItem> {
  const before = await getItem(records, itemId)
  const item = {
    id: itemId,
    ...draftSchema.parse(body),
    version: before.version + 1,
    createdAt: before.createdAt,
    updatedAt: new Date().toISOString(),
    lastEditedBy: 'bench',
    files: before.files,
  }
  await put(records, itemId, item)
  return item
}

async function patchItem(
  records: Records,
  itemId: string,
  patch: readonly PatchOperation[],
): Promise<StoredItem> {
  const document = await getItem(records, itemId)
  jsonpatch.applyPatch(document, toIndexedPatch(patch, document.fields), true, true)
  document.version += 1
  document.updatedAt = new Date().toISOString()
  const item = itemSchema.parse(document)
  await put(records, itemId, item)
  return item
}

async function getFile(
  records: Records,
  contents: Records,
  itemId: string,
): Promise<StoredFile & { readonly content: string }> {
  const { files } = await getItem(records, itemId)
  const details = files.find(({ id }) => id === fileId)
  const bytes = await get(contents, itemId)
  if (details === undefined || bytes === undefined) throw new RangeError('the file is missing')
  const { buffer, byteOffset, byteLength } = bytes
  return { ...details, content: Buffer.from(buffer, byteOffset, byteLength).toString('base64') }
}

async function get(records: Records, id: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return records.get(id)
}

async function put(records: Records, id: string, item: StoredItem): Promise<void> {
  records.set(id, encoder.encode(JSON.stringify(item)))
}
