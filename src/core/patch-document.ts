/**
 * Adds, removes or replaces one place of a plain JSON document, in place.
 *
 * fast-json-patch does the change. It would follow inherited keys, take `01` for an index and replace what is not
 * there, so the whole way to the place is walked here first, by own properties and RFC 6901 indices only.
 */

import jsonpatch from 'fast-json-patch'
import { formatPointer, parseIndex } from './pointer.js'

/** What is done at a place. */
export type PatchVerb = 'add' | 'remove' | 'replace'

/** Says why an operation cannot be done. Holds nothing of the document. */
export class PatchRefusal extends Error {}

/**
 * The document after the operation; the one that was given is changed unless its root is replaced.
 * @throws PatchRefusal if there is no such place (RFC 6902, section 4); the document is as it was.
 */
export function patchDocument(
  document: unknown,
  op: PatchVerb,
  tokens: readonly (string | number)[],
  value?: unknown,
): unknown {
  let parent = document
  for (const [depth, token] of tokens.entries()) {
    const isLast = depth === tokens.length - 1
    if (!hasPlace(parent, String(token), isLast && op === 'add')) {
      throw new PatchRefusal('leads to a place that is not there')
    }
    parent = isLast ? parent : Reflect.get(Object(parent), token)
  }
  const operation = { op, path: formatPointer(tokens), value } as jsonpatch.Operation
  try {
    return jsonpatch.applyOperation(document, operation, true, true).newDocument
  } catch {
    throw new PatchRefusal('cannot be changed so')
  }
}

function hasPlace(parent: unknown, token: string, isAdded: boolean): boolean {
  if (Array.isArray(parent)) {
    if (isAdded && token === '-') return true
    const end = isAdded ? parent.length + 1 : parent.length
    return (parseIndex(token) ?? end) < end
  }
  if (typeof parent !== 'object' || parent === null) return false
  return isAdded || Object.hasOwn(parent, token)
}
