/** The operations written by hand, for any storage: compiled zod, fast-json-patch, one token. */

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
import { listedVaultId, token, vaultId } from '../sample.js'

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

/** The operations. Each throws a StatusError or rejects with one. */
export interface HandwrittenVault {
  readonly itemIds: readonly string[]
  createItem(vault: string, body: unknown): Eventually<StoredItem>
  replaceItem(vault: string, id: string, body: unknown): Eventually<StoredItem>
  patchItem(vault: string, id: string, body: unknown): Eventually<StoredItem>
  getItem(vault: string, id: string): Eventually<StoredItem>
  listItems(vault: string): Eventually<readonly ItemSummary[]>
  /** Returns the details of a file with its content in base64. */
  getFile(
    vault: string,
    id: string,
    fileId: string,
  ): Eventually<StoredFile & { readonly content: string }>
}

/** An item in a list. */
export type ItemSummary = Omit<StoredItem, 'sections' | 'fields' | 'files'>

/** A value or a promise of one, depending on the storage. */
type Eventually<Value> = Value | Promise<Value>

/** A new item from the body of a create. */
export function createItem(body: unknown): StoredItem {
  const draft = parse(draftSchema, body)
  const now = new Date().toISOString()
  const managed = { version: 1, createdAt: now, updatedAt: now, lastEditedBy: 'bench' }
  return { id: newId(), ...draft, ...managed, files: [] }
}

/** The next version of an item, from the body of a replace. */
export function replaceItem(before: StoredItem, body: unknown): StoredItem {
  return nextVersion({ ...before, ...parse(draftSchema, body) })
}

/** The next version of an item, from the body of a patch. The item is not changed. */
export function patchItem(before: StoredItem, body: unknown): StoredItem {
  const patch = toIndexedPatch(parse(patchSchema, body), before.fields)
  const { newDocument } = jsonpatch.applyPatch(before, patch, true, false)
  return nextVersion(parse(itemSchema, newDocument))
}

/** The file of an item. */
export function findFile(item: StoredItem, fileId: string): StoredFile {
  const file = item.files.find((candidate) => candidate.id === fileId)
  if (file === undefined) throw new StatusError(404, `file ${fileId} not found`)
  return file
}

/** The item without its sections, fields and files. */
export function toSummary({
  sections: _sections,
  fields: _fields,
  files: _files,
  ...summary
}: StoredItem): ItemSummary {
  return summary
}

/** @throws StatusError 403 for another vault. */
export function requireVault(id: string): void {
  if (id !== vaultId && id !== listedVaultId)
    throw new StatusError(403, `vault ${id} is not in scope`)
}

/** @throws StatusError 404 if the item or content is missing. */
export function requireFound<Found>(found: Found | undefined, id: string): Found {
  if (found === undefined) throw new StatusError(404, `item ${id} not found`)
  return found
}

/** The bytes in base64. */
export function toBase64({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
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
