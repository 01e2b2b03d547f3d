/** Rejects names and contents that a call would silently ignore, with the option `strict`. */

import { safeGet } from '../../base/safe-get.js'
import { suggestName } from '../../base/suggest-name.js'
import { type InputIssue, InvalidInputError } from '../../errors.js'
import { fileDraftSchema } from '../../schema/file.js'
import { itemDraftSchema } from '../../schema/item.js'
import { patchSchema } from '../../schema/patch.js'
import { vaultSchema } from '../../schema/vault.js'
import { withOperations } from '../patch/apply-patch.js'
import { parsePatchPath } from '../patch/patchable-paths.js'
import type { AnyOperation, InputBody } from './define-operation.js'

/** The parts of an operation that tell which members its input can have. */
type CheckedInput = Pick<AnyOperation, 'input'> & {
  readonly body?: Pick<InputBody<string, unknown>, 'name'> | undefined
}

/** The ids in any input. A reference to a file is also one to its item. */
const anyRef = { vaultId: 0, itemId: 0, fileId: 0 }
/** The shape of the files in the body of an item, which are ignored. */
const fileShape = fileDraftSchema.shape
/** Maximum number of unknown names that an error lists. */
const maxIssues = 20

/**
 * Checks the names in the input of an operation: its members, and the attributes in its body. An
 * item's `vault` can be a complete vault, but its files must not have contents, because they would
 * be ignored. Invalid values are left to the schemas.
 * @throws InvalidInputError that names each unknown path, and the known name that is similar to it.
 */
export function rejectUnknown(
  { body, input }: CheckedInput,
  members: Readonly<Record<string, unknown>>,
): void {
  const issues: InputIssue[] = []
  const find = (value: unknown, schema: unknown, prefix = ''): void => {
    if (typeof value !== 'object' || value === null) return
    const { element, shape } = partsOf(schema)
    // A patch can add a single element to a list.
    if (element !== undefined && !Array.isArray(value)) find(value, element, prefix)
    else if (element !== undefined)
      for (const [index, one] of Object.entries(value)) find(one, element, `${prefix}${index}/`)
    else if (shape !== undefined && !Array.isArray(value)) findMembers(value, shape, prefix)
  }
  const findMembers = (value: object, shape: Shape, prefix = ''): void => {
    for (const [name, member] of Object.entries(value)) {
      const isIgnoredContent = shape === fileShape && name === 'content'
      if (Object.hasOwn(shape, name) && !isIgnoredContent)
        find(member, name === 'vault' ? vaultSchema : shape[name], `${prefix}${name}/`)
      else if (member !== undefined && issues.length < maxIssues)
        issues.push(
          isIgnoredContent
            ? { path: `${prefix}content`, message: 'would not be stored: use attachFile' }
            : unknownName(name, prefix, Object.keys(shape)),
        )
    }
  }
  const { item, patch } = members
  findMembers(members, { ...anyRef, ...(body && { [body.name]: body }), ...input?.shape })
  if (body?.name === 'item') find(item, itemDraftSchema)
  if (body?.name === 'patch') {
    find(patch, patchSchema)
    for (const [index, operation] of [patch].flat().entries()) {
      let schema: unknown = itemDraftSchema
      // If the path is invalid, this is the reason, and there is no schema to follow.
      const path = safeGet(operation, 'path')
      for (const token of typeof path === 'string' ? parsePatchPath(path) : '-') {
        const { element, shape } = partsOf(schema)
        schema = element ?? shape?.[token]
      }
      find(safeGet(operation, 'value'), schema, `${index}/value/`)
    }
  }
  if (issues.length > 0) {
    const sentences = issues.map(({ path, message }) => `${path}: ${message}`)
    const error = new InvalidInputError(sentences.join('; '), { issues })
    throw body?.name === 'patch' ? withOperations(error, patch) : error
  }
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

function unknownName(name: string, prefix: string, known: readonly string[]): InputIssue {
  return {
    path: prefix + name.slice(0, 64).replace(/[^\w.$-]/g, '?'),
    message: `unknown${suggestName(name, known)}`,
  }
}
