/** The contract's patch dialect: JSON Patch with fields found by id, on a copy of an item. */

import { InvalidInputError } from '../errors.js'
import { isDeeperThan } from '../schema/depth.js'
import type { Item } from '../schema/item.js'
import type { PatchOperation } from '../schema/patch.js'
import { copyItem } from './copy-item.js'
import { copyJson } from './copy-json.js'
import { PatchRefusal, patchDocument } from './patch-document.js'
import { patchTarget } from './patch-target.js'
import type { RandomBytes } from './random.js'
import { newId } from './random.js'
import { missingField, resolveReferences } from './resolve-references.js'

/** A patch whose every operation may be done on some item. */
export interface PatchPlan {
  readonly steps: readonly Step[]
}

interface Step {
  readonly op: PatchOperation['op']
  readonly path: string
  readonly tokens: readonly string[]
  readonly value: unknown
}

type Document = Record<string, unknown>

/**
 * Checks what of a patch can be checked without an item.
 * @throws InvalidInputError that names the first bad operation by its index and path.
 */
export function planPatch(patch: readonly PatchOperation[], depth: number): PatchPlan {
  return { steps: patch.map((operation, index) => planStep(operation, index, depth)) }
}

/**
 * The document that the operations make of the item, one after the other; the item is not touched.
 * The document is still to be read as a body is.
 * @throws InvalidInputError that names the first operation that cannot be done by its index and path.
 */
export function applyPatch(item: Item, plan: PatchPlan, randomBytes: RandomBytes): Document {
  let document: Document = { ...copyItem(item) }
  for (const [index, step] of plan.steps.entries()) {
    try {
      document = applyStep(document, step, item, randomBytes)
    } catch (error) {
      throw error instanceof PatchRefusal ? refused(index, step.path, error.message) : error
    }
  }
  return document
}

function planStep({ op, path, value }: PatchOperation, index: number, depth: number): Step {
  const tokens = patchTarget(path)
  if (typeof tokens === 'string') throw refused(index, path, tokens)
  if (op === 'remove') {
    if (tokens.length === 0) throw refused(index, path, 'is the item itself and cannot be removed')
    return { op, path, tokens, value: undefined }
  }
  if (value === undefined) throw refused(index, path, 'needs a value')
  if (isDeeperThan(value, depth)) throw refused(index, path, `must not have a value of more than ${depth} levels`)
  return { op, path, tokens, value }
}

function applyStep(document: Document, step: Step, item: Item, randomBytes: RandomBytes): Document {
  const value = copyJson(step.value)
  if (step.tokens.length === 0) return wholeItem(value, item)
  const change = step.tokens[0] === 'fields' ? fieldChange(document, { ...step, value }, randomBytes) : { ...step, value }
  return patchDocument(document, change.op, change.tokens, change.value) as Document
}

/** What a client may set, as in a replaced item; what the vault keeps stays, whatever the value says of it. */
function wholeItem(value: unknown, item: Item): Document {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new PatchRefusal('must be given an item')
  const lists = { tags: [], urls: [], sections: [], fields: [] }
  const document: Document = { ...lists, ...value, id: item.id, vault: item.vault }
  const { fields } = document
  return Array.isArray(fields) ? { ...document, fields: resolveReferences(fields, item.fields) } : document
}

/** The operation in which a field is addressed by its place among the fields, found at this moment. */
function fieldChange(
  document: Document,
  { op, tokens, value }: Step,
  randomBytes: RandomBytes,
): { op: PatchOperation['op']; tokens: readonly (string | number)[]; value: unknown } {
  const [, id, ...attribute] = tokens
  if (id === undefined) {
    return op === 'add' && !Array.isArray(value) ? append(newField(value, randomBytes)) : { op, tokens, value }
  }
  if (id === '-' && attribute.length === 0 && op === 'add') return append(newField(value, randomBytes))
  const place = placeOfField(document, id)
  if (attribute.length === 0 && op !== 'remove') {
    const field = { ...newField(value, randomBytes), id }
    if (place >= 0) return { op: 'replace', tokens: ['fields', place], value: field }
    if (op === 'add') return append(field)
  }
  if (place < 0) throw new PatchRefusal(missingField(id))
  return { op, tokens: ['fields', place, ...attribute], value }
}

function append(field: Document): { op: 'add'; tokens: readonly string[]; value: Document } {
  return { op: 'add', tokens: ['fields', '-'], value: field }
}

/** A value that stands for a whole field; it gets an id if it has none. */
function newField(value: unknown, randomBytes: RandomBytes): Document {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new PatchRefusal('must be given a field')
  return 'id' in value ? { ...value } : { id: newId(randomBytes), ...value }
}

function placeOfField({ fields }: Document, id: string): number {
  if (!Array.isArray(fields)) throw new PatchRefusal('leads through what is no list of fields')
  return fields.findIndex((field: unknown) => typeof field === 'object' && field !== null && Reflect.get(field, 'id') === id)
}

function refused(index: number, path: string, reason: string): InvalidInputError {
  const place = path.startsWith('/') && path.length <= 256 ? `${index} (${JSON.stringify(path)})` : `${index}`
  const message = `${reason}`
  return new InvalidInputError([{ path: `${index}/path`, message }], `operation ${place}: ${message}`)
}
