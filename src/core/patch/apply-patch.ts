/** The contract's patch dialect: JSON Patch with fields found by id, on a copy of an item. */

import { InvalidInputError } from '../../errors.js'
import { isId } from '../../schema/ids.js'
import type { Item } from '../../schema/item.js'
import { isDeeperThan } from '../../schema/parse.js'
import type { PatchOperation } from '../../schema/patch.js'
import { checkCounts, type Limits } from '../runtime/limits.js'
import type { RandomBytes } from '../runtime/random.js'
import { newId } from '../runtime/random.js'
import { applyJsonPatch, PatchError } from './apply-json-patch.js'
import { parsePatchPath } from './patchable-paths.js'
import {
  missingFieldMessage,
  type ReferenceScope,
  resolveFieldReferences,
} from './resolve-field-references.js'

/** A patch whose every operation may be done on some item. */
export interface PatchPlan {
  readonly steps: readonly PlannedOperation[]
}

interface PlannedOperation {
  readonly op: PatchOperation['op']
  readonly path: string
  readonly tokens: readonly string[]
  readonly value: unknown
}

/** What is done to a document; a field is addressed by its place among the fields. */
interface Change {
  readonly op: PatchOperation['op']
  readonly tokens: readonly (string | number)[]
  readonly value: unknown
}

type Document = Record<string, unknown>

/**
 * Checks what of a patch can be checked without an item.
 * @throws InvalidInputError that names the first bad operation by its index and path.
 */
export function planPatch(patch: readonly PatchOperation[], limits: Limits): PatchPlan {
  return {
    steps: patch.map((operation, index) =>
      withOperationPath(index, operation.path, () => planStep(operation, limits)),
    ),
  }
}

/**
 * The document that the operations make of the item, one after the other; the item is not touched.
 * The document is still to be read as a body is.
 * @throws InvalidInputError that names the first operation that cannot be done by its index and path.
 */
export function applyPatch(item: Item, plan: PatchPlan, randomBytes: RandomBytes): Document {
  return plan.steps.reduce<Document>(
    (document, step, index) =>
      withOperationPath(index, step.path, () => applyStep(document, step, item, randomBytes)),
    settable(item),
  )
}

/** The item without what only the vault sets: no path leads there, and what is stored needs no check. */
function settable(item: Item): Document {
  const { vault, category, title, favorite, tags, urls, sections, fields } = item
  const document: Document = { vault, category, favorite, tags, urls, sections, fields }
  if (title !== undefined) document['title'] = title
  return document
}

function planStep({ op, path, value }: PatchOperation, limits: Limits): PlannedOperation {
  if (path.length > limits.stringBytes)
    throw new PatchError(`must not have a path of more than ${limits.stringBytes} bytes`)
  const tokens = parsePatchPath(path)
  if (typeof tokens === 'string') throw new PatchError(tokens)
  const [name, ...within] = tokens
  if (op === 'remove') {
    if (name === undefined) throw new PatchError('is the item itself and cannot be removed')
    return { op, path, tokens, value: undefined }
  }
  if (value === undefined) throw new PatchError('needs a value')
  // A list that no item can hold would be walked once for each operation after it.
  if (within.length === 0) checkCounts(name === undefined ? value : { [name]: value }, limits)
  if (isDeeperThan(value, limits.depth))
    throw new PatchError(`must not have a value of more than ${limits.depth} levels`)
  return { op, path, tokens, value: cloneJson(value) }
}

function applyStep(
  document: Document,
  step: PlannedOperation,
  item: Item,
  randomBytes: RandomBytes,
): Document {
  if (step.tokens.length === 0) return replaceWholeItem(step.value, document, item)
  const { op, tokens, value } =
    step.tokens[0] === 'fields' ? resolveFieldOperation(document, step, randomBytes) : step
  return applyJsonPatch(document, op, tokens, value) as Document
}

/**
 * The document that `value` describes, as if the item had been replaced. It stays in its vault under its id, whichever
 * well-formed ids the value has; malformed ones are left for the schema to refuse.
 */
function replaceWholeItem(value: unknown, before: Document, item: Item): Document {
  if (!isObject(value)) throw new PatchError('must be given an item')
  const emptyItem = { favorite: false, tags: [], urls: [], sections: [], fields: [] }
  const { id, vault = item.vault } = value
  const document: Document = {
    ...emptyItem,
    ...value,
    id: isId(id) ? undefined : id,
    vault: isObject(vault) && isId(vault['id']) ? item.vault : vault,
  }
  const { fields } = document
  if (!Array.isArray(fields)) return document
  const scope = { ...scopeOf(document), fields: objectsIn(before['fields']) }
  return { ...document, fields: resolveFieldReferences(fields, scope) }
}

/** The change in which the field is addressed by its place among the fields, found at this moment. */
function resolveFieldOperation(
  document: Document,
  { op, tokens, value }: PlannedOperation,
  randomBytes: RandomBytes,
): Change {
  const [, id, ...attribute] = tokens
  if (id === undefined) {
    if (op === 'add' && !Array.isArray(value)) return append(document, value, randomBytes)
    const fields = Array.isArray(value) ? resolveFieldReferences(value, scopeOf(document)) : value
    return { op, tokens, value: fields }
  }
  const isWhole = attribute.length === 0 && op !== 'remove'
  if (id === '-' && isWhole && op === 'add') return append(document, value, randomBytes)
  const ref = fieldsOf(document).findIndex((field) => isObject(field) && field['id'] === id)
  if (isWhole) {
    if (!isObject(value)) throw new PatchError('must be given a field')
    if (op === 'replace' && value['id'] !== undefined && value['id'] !== id)
      throw new PatchError('must not be given a field of another id')
    if (ref < 0 && op === 'add') return append(document, { ...value, id }, randomBytes)
    if (ref >= 0) {
      const [field] = resolveFieldReferences([{ ...value, id }], scopeOf(document))
      return { op: 'replace', tokens: ['fields', ref], value: field }
    }
  }
  if (ref < 0) throw new PatchError(missingFieldMessage(id))
  return { op, tokens: ['fields', ref, ...attribute], value }
}

/** Adds a field at the end; it gets an id if it has none. */
function append(document: Document, value: unknown, randomBytes: RandomBytes): Change {
  if (!isObject(value)) throw new PatchError('must be given a field')
  const [field] = resolveFieldReferences([value], scopeOf(document))
  const named = 'id' in value ? field : { id: newId(randomBytes), ...value }
  return { op: 'add', tokens: ['fields', fieldsOf(document).length], value: named }
}

/** The fields and sections that a reference in the document can refer to. */
function scopeOf(document: Document): ReferenceScope<Document> {
  return { fields: objectsIn(document['fields']), sections: objectsIn(document['sections']) }
}

/** The objects in a list; none in what an earlier operation has put in its place, which the schema refuses later. */
function objectsIn(list: unknown): readonly Document[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}

function fieldsOf({ fields }: Document): readonly unknown[] {
  if (!Array.isArray(fields)) throw new PatchError('leads through what is no list of fields')
  return fields
}

function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What `work` makes; what it refuses is said with the operation's index and path. */
function withOperationPath<Result>(index: number, path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof PatchError || error instanceof InvalidInputError)) throw error
    const isNamed = /^(?:\/|$)/.test(path) && path.length <= 256
    const ref = isNamed ? `operation ${index} (${JSON.stringify(path)})` : `operation ${index}`
    throw InvalidInputError.at(`${index}`, error.message, `${ref}: ${error.message}`)
  }
}

/**
 * A copy of `value` through all its levels. Members that are undefined are left out, as JSON has none, and so is a key
 * `__proto__`: no attribute has that name.
 */
export function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneJson)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key)
    if (key !== '__proto__' && member !== undefined) copy[key] = cloneJson(member)
  }
  return copy
}
