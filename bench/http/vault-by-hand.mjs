/** The four operations as one writes them for oneself: a Map of item objects, zod, fast-json-patch, one static token. */

import { hash, timingSafeEqual } from 'node:crypto'
import jsonpatch from 'fast-json-patch'
import { draftSchema, itemSchema, newId, patchSchema, placedPatch } from '../by-hand.mjs'
import { storedItem, token, vaultId } from '../sample.mjs'

const expected = hash('sha256', token, 'buffer')

/** What is answered with a status of 400 or more. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

export function createVault(count) {
  const items = new Map()
  for (let index = 0; index < count; index++) {
    const id = newId()
    items.set(id, storedItem(id, index))
  }
  const requireVault = (id) => {
    if (id !== vaultId) throw new Refusal(403, `vault ${id} is not in scope`)
  }
  const requireItem = (vault, id) => {
    requireVault(vault)
    const item = items.get(id)
    if (item === undefined) throw new Refusal(404, `item ${id} not found`)
    return item
  }
  return {
    places: [...items.keys()],
    createItem(vault, body) {
      requireVault(vault)
      const draft = parsed(draftSchema, body)
      const now = new Date().toISOString()
      const kept = { version: 1, createdAt: now, updatedAt: now, lastEditedBy: 'bench', files: [] }
      const item = { id: newId(), ...draft, ...kept }
      items.set(item.id, item)
      return item
    },
    replaceItem(vault, id, body) {
      const before = requireItem(vault, id)
      const item = changed({ ...before, ...parsed(draftSchema, body) })
      items.set(id, item)
      return item
    },
    patchItem(vault, id, body) {
      const before = requireItem(vault, id)
      const patch = placedPatch(parsed(patchSchema, body), before.fields)
      const { newDocument } = jsonpatch.applyPatch(before, patch, true, false)
      const item = changed(parsed(itemSchema, newDocument))
      items.set(id, item)
      return item
    },
    getFileDetails(vault, id, fileId) {
      const file = requireItem(vault, id).files.find((candidate) => candidate.id === fileId)
      if (file === undefined) throw new Refusal(404, `file ${fileId} not found`)
      return file
    },
  }
}

/** @throws Refusal 401 unless it is the header of the one token. */
export function requireToken(authorization) {
  const given = authorization?.startsWith('Bearer ') ? authorization.slice(7) : ''
  if (!timingSafeEqual(hash('sha256', given, 'buffer'), expected)) {
    throw new Refusal(401, 'Invalid bearer token')
  }
}

export const etag = (item) => `"${item.version}"`

/** The status and body of an error's answer. */
export function answerTo(error) {
  const status = error.status ?? error.statusCode ?? 500
  return { status, message: status < 500 ? error.message : 'Internal server error' }
}

function parsed(schema, body) {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  throw new Refusal(400, result.error.issues.map(({ path }) => path.join('/')).join(', '))
}

function changed(item) {
  return { ...item, version: item.version + 1, updatedAt: new Date().toISOString() }
}
