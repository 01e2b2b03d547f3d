/** The floors: the least straight-line code that does each job with the same building blocks. */

import jsonpatch from 'fast-json-patch'
import { draftSchema, itemSchema, newId, placedPatch } from '../by-hand.mjs'
import { fileId, storedItem } from '../sample.mjs'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** @returns {Promise<import('./worker.mjs').Contender>} */
export async function createContender(count) {
  const records = new Map()
  const itemIds = Array.from({ length: count }, () => newId())
  for (const [index, id] of itemIds.entries()) put(records, id, storedItem(id, index))
  return {
    itemIds,
    createItem: (body) => createItem(records, body),
    replaceItem: (itemId, body) => replaceItem(records, itemId, body),
    patchItem: (itemId, patch) => patchItem(records, itemId, patch),
    getFileDetails: (itemId) => getFileDetails(records, itemId),
  }
}

async function createItem(records, body) {
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

async function replaceItem(records, itemId, body) {
  const before = JSON.parse(decoder.decode(await get(records, itemId)))
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

async function patchItem(records, itemId, patch) {
  const document = JSON.parse(decoder.decode(await get(records, itemId)))
  jsonpatch.applyPatch(document, placedPatch(patch, document.fields), true, true)
  document.version += 1
  document.updatedAt = new Date().toISOString()
  const item = itemSchema.parse(document)
  await put(records, itemId, item)
  return item
}

async function getFileDetails(records, itemId) {
  const item = JSON.parse(decoder.decode(await get(records, itemId)))
  return item.files.find(({ id }) => id === fileId)
}

async function get(records, id) {
  return records.get(id)
}

async function put(records, id, item) {
  records.set(id, encoder.encode(JSON.stringify(item)))
}
