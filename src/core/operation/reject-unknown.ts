/** Rejects names and contents that a call would silently ignore. */

import { isBareObject, problemOf } from '../../base/argument.js'
import { safeGet } from '../../base/safe-get.js'
import { suggestName } from '../../base/suggest-name.js'
import { type InputIssue, InvalidInputError } from '../../errors.js'
import { fileDraftSchema } from '../../schema/file.js'
import { itemDraftSchema } from '../../schema/item.js'
import { patchSchema } from '../../schema/patch.js'
import { vaultSchema } from '../../schema/vault.js'
import type * as z from '../../schema/zod.js'
import { withOperations } from '../patch/apply-patch.js'
import { parsePatchPath } from '../patch/patchable-paths.js'
import { callOptions } from './call-options.js'
import type { AnyOperation, InputBody, Target } from './define-operation.js'

/** The parts of an operation that tell which members its input can have. */
type CheckedInput = Pick<AnyOperation, 'input'> & {
  readonly target?: Target
  readonly body?: Pick<InputBody<string, unknown>, 'name'> | undefined
}

/** The ids in an input, by the target of its operation. */
const idsOf: Readonly<Record<Target, readonly string[]>> = {
  service: [],
  newVault: ['vaultId'],
  vault: ['vaultId'],
  newItem: ['vaultId', 'itemId'],
  item: ['vaultId', 'itemId'],
  file: ['vaultId', 'itemId', 'fileId'],
}

/** The names that other libraries have for a member of an input. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  ifVersion: ['expectedVersion', 'version', 'revision', 'ifMatch', 'etag'],
  itemId: ['id', 'uuid'],
  vaultId: ['id', 'uuid', 'vault'],
  item: ['draft', 'data', 'body', 'input'],
  patch: ['operations', 'changes', 'ops', 'body'],
  content: ['data', 'body', 'bytes', 'buffer', 'file', 'stream'],
  name: ['title', 'filename'],
  field: ['fieldId', 'label'],
  fieldId: ['field', 'label'],
  after: ['cursor', 'next', 'startAfter'],
  limit: ['pageSize', 'perPage', 'take', 'first'],
  sortBy: ['orderBy', 'sort', 'order'],
  sortOrder: ['direction'],
  filter: ['where', 'query', 'search'],
  itemIds: ['ids', 'items'],
}

/** The shape of the files in the body of an item, which are ignored. */
const fileShape = fileDraftSchema.shape
/** Maximum number of unknown names that an error lists. */
const maxIssues = 20

/**
 * Checks all names in the input of an operation: its members, and the attributes in its body. An
 * item's `vault` can be a complete vault, but its files must not have contents, because they would
 * be ignored. Invalid values are left to the schemas.
 * @throws InvalidInputError that names each unknown path, and the known name that is similar to it.
 */
export function rejectUnknown(
  operation: CheckedInput,
  members: Readonly<Record<string, unknown>>,
): void {
  const { body } = operation
  const issues: InputIssue[] = []
  const { item, patch } = members
  findMembers(issues, members, shapeOf(operation))
  if (body?.name === 'item') find(issues, item, itemDraftSchema)
  if (body?.name === 'patch') {
    find(issues, patch, patchSchema)
    for (const [index, operation] of [patch].flat().entries()) {
      let schema: unknown = itemDraftSchema
      // If the path is invalid, this is the reason, and there is no schema to follow.
      const path = safeGet(operation, 'path')
      for (const token of typeof path === 'string' ? parsePatchPath(path) : '-') {
        const { element, shape } = partsOf(schema)
        schema = element ?? shape?.[token]
      }
      const value = safeGet(operation, 'value')
      // A patch can add a single element to a list.
      const { element } = Array.isArray(value) ? {} : partsOf(schema)
      find(issues, value, element ?? schema, `${index}/value/`)
    }
  }
  if (issues.length > 0) {
    const error = unknownError(issues)
    throw body?.name === 'patch' ? withOperations(error, patch) : error
  }
}

/**
 * Checks the names in the input and in the options of a call in process, except those in its body.
 * @throws InvalidInputError that names each unknown path, and the name that was probably meant.
 */
export function rejectUnknownInCall(
  operation: CheckedInput,
  members: Readonly<Record<string, unknown>>,
  options: unknown,
): void {
  if (!isBareObject(options)) throw InvalidInputError.at('options', problemOf(options, 'an object'))
  const issues: InputIssue[] = []
  const shape = shapeOf(operation)
  findMembers(issues, members, shape, '', (name) => suggestMember(name, operation, members))
  findMembers(issues, options, callOptions, 'options/', (name, known) =>
    Object.hasOwn(shape, name) ? ', put it into the input' : suggestName(name, known),
  )
  if (issues.length > 0) throw unknownError(issues)
}

/**
 * Checks the names in a value that a schema is about to parse.
 * @throws InvalidInputError that names each unknown path, and the known name that is similar to it.
 */
export function rejectUnknownAttributes(value: unknown, schema: z.ZodMiniType): void {
  const issues: InputIssue[] = []
  find(issues, value, schema)
  if (issues.length > 0) throw unknownError(issues)
}

/** Returns what follows `unknown` in a message: what to write instead, or an empty string. */
type Suggest = (name: string, known: readonly string[]) => string

/** Finds unknown names in a value, and adds an issue for each of the first ones. */
function find(issues: InputIssue[], value: unknown, schema: unknown, prefix = ''): void {
  if (typeof value !== 'object' || value === null) return
  const { element, shape } = partsOf(schema)
  if (element !== undefined && Array.isArray(value))
    for (const [index, one] of value.entries()) find(issues, one, element, `${prefix}${index}/`)
  else if (shape !== undefined && !Array.isArray(value)) findMembers(issues, value, shape, prefix)
}

function findMembers(
  issues: InputIssue[],
  value: object,
  shape: Shape,
  prefix = '',
  suggest: Suggest = suggestName,
): void {
  for (const name of Object.keys(value)) {
    const member: unknown = Reflect.get(value, name)
    const isIgnoredContent = shape === fileShape && name === 'content'
    if (Object.hasOwn(shape, name) && !isIgnoredContent)
      find(issues, member, name === 'vault' ? vaultSchema : shape[name], `${prefix}${name}/`)
    else if (member !== undefined && issues.length < maxIssues)
      issues.push(
        isIgnoredContent
          ? { path: `${prefix}content`, message: 'would not be stored: use attachFile' }
          : {
              path: prefix + name.slice(0, 64).replace(/[^\w.$-]/g, '?'),
              message: `unknown${suggest(name, Object.keys(shape))}`,
            },
      )
  }
}

/** Suggests what to write instead of an unknown member of an input. */
function suggestMember(
  name: string,
  operation: CheckedInput,
  members: Readonly<Record<string, unknown>>,
): string {
  if (Object.hasOwn(callOptions, name)) return ', put it into the options'
  const known = Object.keys(shapeOf(operation))
  const meant = known.find((one) => members[one] === undefined && synonyms[one]?.includes(name))
  if (meant !== undefined) return `, did you mean ${meant}?`
  const isOfItem = operation.body?.name === 'item' && Object.hasOwn(itemDraftSchema.shape, name)
  return isOfItem ? ', put it into item' : suggestName(name, known)
}

const shapes = new WeakMap<CheckedInput, Shape>()

/** Returns the members that the input of an operation can have. */
function shapeOf(operation: CheckedInput): Shape {
  const cached = shapes.get(operation)
  if (cached !== undefined) return cached
  const { target = 'service', body, input } = operation
  const ids = Object.fromEntries(idsOf[target].map((name) => [name, 0]))
  const shape = { ...ids, ...(body && { [body.name]: body }), ...input?.shape }
  shapes.set(operation, shape)
  return shape
}

/** The parts of a schema that are schemas: the elements of a list, or the members of an object. */
interface SchemaParts {
  readonly element?: unknown
  readonly shape?: Shape
}

type Shape = Readonly<Record<string, unknown>>

/** Returns the parts of a schema, even if the value may be undefined or null. */
function partsOf(schema: unknown): SchemaParts {
  const definition = safeGet(schema, 'def')
  const inner = safeGet(definition, 'innerType')
  return inner === undefined ? Object(definition) : partsOf(inner)
}

function unknownError(issues: readonly InputIssue[]): InvalidInputError {
  const sentences = issues.map(({ path, message }) => `${path}: ${message}`)
  return new InvalidInputError(sentences.join('; '), { issues })
}
