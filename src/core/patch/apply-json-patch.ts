/**
 * Adds, removes or replaces one place of a plain JSON document. The document that was given stays as it was; what the
 * way to the place does not lead through is shared with it.
 *
 * fast-json-patch does the change. It would follow inherited keys, take `01` for an index and replace what is not
 * there, so the whole way to the place is walked here first, by own properties and RFC 6901 indices only.
 */

import jsonpatch from 'fast-json-patch'
import { formatPointer, parseIndex } from './json-pointer.js'

/** What is done at a place. */
export type PatchOp = 'add' | 'remove' | 'replace'

/** Says why an operation cannot be done. Holds nothing of the document. */
export class PatchError extends Error {}

/**
 * The document after the operation.
 * @throws PatchRefusal if there is no such place (RFC 6902, section 4).
 */
export function applyJsonPatch(
  document: unknown,
  op: PatchOp,
  tokens: readonly (string | number)[],
  value?: unknown,
): unknown {
  const changed = shallowCopy(document)
  let parent = changed
  for (const [depth, token] of tokens.entries()) {
    const isLast = depth === tokens.length - 1
    if (!pathExists(parent, String(token), isLast && op === 'add')) {
      throw new PatchError('leads to a place that is not there')
    }
    if (!isLast) {
      const child = shallowCopy(Reflect.get(parent, token))
      Reflect.set(parent, token, child)
      parent = child
    }
  }
  const operation = { op, path: formatPointer(tokens), value } as jsonpatch.Operation
  try {
    return jsonpatch.applyOperation(changed, operation, true, true).newDocument
  } catch {
    throw new PatchError('cannot be changed so')
  }
}

function shallowCopy(value: unknown): unknown {
  if (Array.isArray(value)) return [...value]
  return typeof value === 'object' && value !== null ? { ...value } : value
}

function pathExists(parent: unknown, token: string, isAdded: boolean): parent is object {
  if (Array.isArray(parent)) {
    if (isAdded && token === '-') return true
    const end = isAdded ? parent.length + 1 : parent.length
    return (parseIndex(token) ?? end) < end
  }
  if (typeof parent !== 'object' || parent === null) return false
  return isAdded || Object.hasOwn(parent, token)
}
