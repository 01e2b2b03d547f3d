/** The contract's patch dialect: JSON Patch with fields addressed by id (section 4.3). */

import { isObject } from '../../base/is-object.js'
import { safeGet } from '../../base/safe-get.js'
import { InvalidInputError } from '../../errors.js'
import type { Item } from '../../schema/item.js'
import { isDeeperThan } from '../../schema/parse.js'
import type { PatchOperation } from '../../schema/patch.js'
import { checkCounts, type ItemLimits } from '../runtime/limits.js'
import { applyJsonPatch, PatchError } from './json-patch.js'
import { parsePatchPath } from './patchable-paths.js'
import {
  missingFieldMessage,
  type ReferenceScope,
  resolveFieldReferences,
} from './resolve-field-references.js'

/** A patch whose operations can be applied to some item. */
export interface PatchPlan {
  readonly steps: readonly PlannedOperation[]
}

interface PlannedOperation {
  readonly op: PatchOperation['op']
  readonly path: string
  readonly tokens: readonly string[]
  readonly value: unknown
}

/** An operation that addresses a field by its index. */
interface ResolvedOperation {
  readonly op: PatchOperation['op']
  readonly tokens: readonly (string | number)[]
  readonly value: unknown
}

/** The result of a patch: an item as a client might send it, not parsed yet. */
export type PatchedDocument = Record<string, unknown>

/**
 * Returns an id for a field that this step adds without one. It returns the same id each time the
 * patch is applied.
 */
type NewFieldId = (step: number) => string

/**
 * Checks everything of a patch that can be checked without an item.
 * @throws InvalidInputError that names the first invalid operation by its index and path.
 */
export function planPatch(patch: readonly PatchOperation[], limits: ItemLimits): PatchPlan {
  const steps: PlannedOperation[] = []
  for (const [index, { op, path, value }] of patch.entries()) {
    try {
      if (path.length > limits.stringBytes)
        throw new PatchError(`must not have a path of more than ${limits.stringBytes} bytes`)
      const tokens = parsePatchPath(path)
      if (typeof tokens === 'string') throw new PatchError(tokens)
      const [name, ...rest] = tokens
      if (op === 'remove') {
        if (name === undefined) throw new PatchError('a patch cannot remove the whole item')
        steps.push({ op, path, tokens, value: undefined })
        continue
      }
      if (value === undefined) throw new PatchError('needs a value')
      // Otherwise each later operation would walk a list that is too long for any item.
      if (rest.length === 0) checkCounts(name === undefined ? value : { [name]: value }, limits)
      if (isDeeperThan(value, limits.depth))
        throw new PatchError(`must not have a value of more than ${limits.depth} levels`)
      const copy = typeof value === 'object' ? cloneJson(value) : value
      steps.push({ op, path, tokens, value: copy })
    } catch (error) {
      throw withOperationPath(error, index, path)
    }
  }
  return { steps }
}

/**
 * Applies the operations one after the other and returns the resulting document, which must be
 * parsed like a body. The item stays unchanged.
 * @throws InvalidInputError that names the first operation that cannot be applied by its index and
 * path.
 */
export function applyPatch(
  item: Item,
  { steps }: PatchPlan,
  newFieldId: NewFieldId,
): PatchedDocument {
  // No path leads to the attributes that only the vault sets, so they are left out.
  const { vault, category, title, favorite, tags, urls, sections, fields } = item
  let document: PatchedDocument = { vault, category, favorite, tags, urls, sections, fields }
  if (title !== undefined) document['title'] = title
  const owned = new Set<unknown>([document])
  for (const [index, step] of steps.entries()) {
    try {
      const [name] = step.tokens
      if (name === undefined) {
        document = replaceWholeItem(step.value, document, item)
        owned.clear()
        continue
      }
      const { op, tokens, value } =
        name === 'fields' ? resolveFieldOperation(document, step, () => newFieldId(index)) : step
      document = applyJsonPatch(document, op, tokens, value, owned) as PatchedDocument
      // The document may contain a field twice now, because fields in a value can be references.
      if (name === 'fields' && tokens.length < 3) owned.clear()
    } catch (error) {
      throw withOperationPath(error, index, step.path)
    }
  }
  return document
}

/**
 * Returns the document that `value` describes, as if the item had been replaced. The dialect rejects
 * the id of another item and another vault, as it does for `replaceItem`.
 */
function replaceWholeItem(value: unknown, before: PatchedDocument, item: Item): PatchedDocument {
  if (!isObject(value)) throw new PatchError('the value must be an item')
  const emptyItem = { favorite: false, tags: [], urls: [], sections: [], fields: [] }
  const document: PatchedDocument = { ...emptyItem, vault: item.vault, ...value }
  const { fields } = document
  if (!Array.isArray(fields)) return document
  const scope = { ...scopeOf(document), fields: objectsIn(before['fields']) }
  return { ...document, fields: resolveFieldReferences(fields, scope) }
}

/** Replaces the id of the field in the path by the current index of the field. */
function resolveFieldOperation(
  document: PatchedDocument,
  { op, tokens, value }: PlannedOperation,
  newFieldId: () => string,
): ResolvedOperation {
  const [, id, ...attribute] = tokens
  if (id === undefined) {
    if (op === 'add' && !Array.isArray(value)) return toNewField(document, value, newFieldId)
    const fields = Array.isArray(value) ? resolveFieldReferences(value, scopeOf(document)) : value
    return { op, tokens, value: fields }
  }
  const isWhole = attribute.length === 0 && op !== 'remove'
  if (id === '-' && isWhole && op === 'add') return toNewField(document, value, newFieldId)
  const index = indexOfField(document, id)
  if (isWhole) {
    if (!isObject(value)) throw new PatchError('the value must be a field')
    if (value['id'] !== undefined && value['id'] !== id)
      throw new PatchError('the value must not be a field with another id')
    if (index < 0 && op === 'add') return toNewField(document, { ...value, id }, newFieldId)
    if (index >= 0) {
      const [field] = resolveFieldReferences([{ ...value, id }], scopeOf(document))
      return { op: 'replace', tokens: ['fields', index], value: field }
    }
  }
  if (index < 0) throw new PatchError(missingFieldMessage(id))
  return { op, tokens: ['fields', index, ...attribute], value }
}

/** Returns the operation that adds a field at the end, with a random id if it has none. */
function toNewField(
  document: PatchedDocument,
  value: unknown,
  newFieldId: () => string,
): ResolvedOperation {
  if (!isObject(value)) throw new PatchError('the value must be a field')
  if (!Array.isArray(document['fields'])) throw notAListError()
  const [field] = resolveFieldReferences([value], scopeOf(document))
  const newField = 'id' in value ? field : { id: newFieldId(), ...value }
  return { op: 'add', tokens: ['fields', '-'], value: newField }
}

/** The fields and sections to which a reference in the document can refer. */
function scopeOf(document: PatchedDocument): ReferenceScope<PatchedDocument> {
  return { fields: objectsIn(document['fields']), sections: objectsIn(document['sections']) }
}

/** Returns the objects in a list, or none if it is not a list, which the schema rejects later. */
function objectsIn(list: unknown): readonly PatchedDocument[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** Returns the index of the field with this id, or -1 if the item has no such field. */
function indexOfField(document: PatchedDocument, id: string): number {
  const { fields } = document
  if (!Array.isArray(fields)) throw notAListError()
  let index = 0
  for (const field of fields) {
    if (Reflect.get(Object(field), 'id') === id) return index
    index++
  }
  return -1
}

function notAListError(): PatchError {
  return new PatchError('the path goes through a value that is not a list of fields')
}

/**
 * Adds the invalid operations to the message of the error of a patch's body. Returns the error
 * unchanged if no issue is in an operation.
 */
export function withOperations(error: InvalidInputError, body: unknown): InvalidInputError {
  const indices = new Set(error.issues.flatMap(({ path }) => /^\d+/.exec(path)?.map(Number) ?? []))
  if (indices.size === 0) return error
  return withNames(error, indices, (index) => safeGet(safeGet(body, index), 'path'))
}

/**
 * Adds the index and the path of the operation to an InvalidInputError or PatchError. Returns any
 * other error unchanged.
 */
function withOperationPath(error: unknown, index: number, path: string): unknown {
  if (!(error instanceof PatchError || error instanceof InvalidInputError)) return error
  const message = `${describeOperation(index, path)}: ${error.message}`
  return new InvalidInputError(message, { issues: [{ path: `${index}`, message: error.message }] })
}

/**
 * If the result of a patch is invalid, adds the operations that made it so to the message: for each
 * issue, the last operation that touched its path. Returns any other error unchanged. `document` is
 * the result of the patch, and may be left out if no issue has a path in it.
 */
export function withCauses(
  error: unknown,
  { steps }: PatchPlan,
  document: PatchedDocument = {},
): unknown {
  if (!(error instanceof InvalidInputError)) return error
  const causes = new Set(error.issues.map(({ path }) => findCause(steps, path, document)))
  return withNames(error, causes, (index) => steps[index]?.path)
}

/** Returns the error with these operations at the beginning of its message. */
function withNames(
  error: InvalidInputError,
  indices: ReadonlySet<number>,
  pathOf: (index: number) => unknown,
): InvalidInputError {
  const names = Array.from(indices, (index) => describeOperation(index, pathOf(index)))
  return new InvalidInputError(`${names.join(', ')}: ${error.message}`, { issues: error.issues })
}

/**
 * Returns the index of the last operation on the value at `path`, a part of it, or what contains
 * it. If there is none, returns the index of the last operation on the same list, or otherwise of
 * the last operation. If the section of a field is missing, the cause is an operation on the field
 * or on the sections.
 */
function findCause(
  steps: readonly PlannedOperation[],
  path: string,
  document: PatchedDocument,
): number {
  const [name, index, ...rest] = path.split('/')
  const field: unknown = name === 'fields' ? Reflect.get(Object(document['fields']), `${index}`) : 0
  const target = [name, Reflect.get(Object(field), 'id') ?? index, ...rest]
  const isPrefix = (one: readonly unknown[], other: readonly unknown[]): boolean =>
    one.every((token, at) => token === other[at])
  const touching = steps.findLastIndex(
    ({ tokens }) => isPrefix(tokens, target) || isPrefix(target, tokens),
  )
  if (touching >= 0) return touching
  const lists = rest[0] === 'section' ? [name, 'sections'] : [name]
  const listed = steps.findLastIndex(({ tokens }) => lists.includes(tokens[0]))
  return listed >= 0 ? listed : steps.length - 1
}

function describeOperation(index: number, path: unknown): string {
  const isPointer = typeof path === 'string' && /^(?:\/|$)/.test(path) && path.length <= 256
  return isPointer ? `operation ${index} (${JSON.stringify(path)})` : `operation ${index}`
}

/**
 * Returns a deep copy of a JSON value. Undefined members are left out, because JSON has none, and
 * so is the key `__proto__`, because no attribute has that name.
 */
function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneJson)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key)
    if (key !== '__proto__' && member !== undefined) copy[key] = cloneJson(member)
  }
  return copy
}
