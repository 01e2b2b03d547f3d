/** The four operations written by hand: a Map of item objects, zod, fast-json-patch, one token. */

import { hash, timingSafeEqual } from 'node:crypto'
import jsonpatch from 'fast-json-patch'
import type * as z from 'zod'
import {
  draftSchema,
  itemSchema,
  newId,
  patchSchema,
  type StoredFile,
  type StoredItem,
  toIndexedPatch,
} from '../building-blocks.js'
import { storedItem, token, vaultId } from '../sample.js'

const expectedHash = hash('sha256', token, 'buffer')

/** An error with a status of 400 or more. */
export class StatusError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The body of a response to an error. */
export interface ErrorBody {
  readonly status: number
  readonly message: string
}

/** The operations. Each throws a StatusError. */
export interface HandwrittenVault {
  readonly itemIds: readonly string[]
  createItem(vault: string, body: unknown): StoredItem
  replaceItem(vault: string, id: string, body: unknown): StoredItem
  patchItem(vault: string, id: string, body: unknown): StoredItem
  getFileDetails(vault: string, id: string, fileId: string): StoredFile
}

/** Creates a vault with `count` stored items. */
export function createVault(count: number): HandwrittenVault {
  const items = new Map<string, StoredItem>()
  for (let index = 0; index < count; index++) {
    const id = newId()
    items.set(id, storedItem(id, index))
  }
  const requireVault = (id: string): void => {
    if (id !== vaultId) throw new StatusError(403, `vault ${id} is not in scope`)
  }
  const requireItem = (vault: string, id: string): StoredItem => {
    requireVault(vault)
    const item = items.get(id)
    if (item === undefined) throw new StatusError(404, `item ${id} not found`)
    return item
  }
  return {
    itemIds: [...items.keys()],
    createItem(vault, body) {
      requireVault(vault)
      const draft = parse(draftSchema, body)
      const now = new Date().toISOString()
      const managed = { version: 1, createdAt: now, updatedAt: now, lastEditedBy: 'bench' }
      const item = { id: newId(), ...draft, ...managed, files: [] }
      items.set(item.id, item)
      return item
    },
    replaceItem(vault, id, body) {
      const before = requireItem(vault, id)
      const item = nextVersion({ ...before, ...parse(draftSchema, body) })
      items.set(id, item)
      return item
    },
    patchItem(vault, id, body) {
      const before = requireItem(vault, id)
      const patch = toIndexedPatch(parse(patchSchema, body), before.fields)
      const { newDocument } = jsonpatch.applyPatch(before, patch, true, false)
      const item = nextVersion(parse(itemSchema, newDocument))
      items.set(id, item)
      return item
    },
    getFileDetails(vault, id, fileId) {
      const file = requireItem(vault, id).files.find((candidate) => candidate.id === fileId)
      if (file === undefined) throw new StatusError(404, `file ${fileId} not found`)
      return file
    },
  }
}

/** @throws StatusError 401 unless it is the header of the one token. */
export function requireToken(authorization: string | undefined): void {
  const given = authorization?.startsWith('Bearer ') ? authorization.slice(7) : ''
  if (!timingSafeEqual(hash('sha256', given, 'buffer'), expectedHash)) {
    throw new StatusError(401, 'Invalid bearer token')
  }
}

/** The value of the header `ETag`. */
export const etag = ({ version }: StoredItem): string => `"${version}"`

/** The response to an error of the vault, or of a framework that sets `statusCode`. */
export function toErrorBody(error: unknown): ErrorBody {
  const status = statusOf(error)
  const message = error instanceof Error && status < 500 ? error.message : 'Internal server error'
  return { status, message }
}

function statusOf(error: unknown): number {
  if (error instanceof StatusError) return error.status
  const isHttpError = error instanceof Error && 'statusCode' in error
  return isHttpError && typeof error.statusCode === 'number' ? error.statusCode : 500
}

function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  throw new StatusError(400, result.error.issues.map(({ path }) => path.join('/')).join(', '))
}

function nextVersion(item: StoredItem): StoredItem {
  return { ...item, version: item.version + 1, updatedAt: new Date().toISOString() }
}
