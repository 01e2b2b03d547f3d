/**
 * JSON Patch operations on plain JSON documents (RFC 6902), and the JSON Pointers in them (RFC
 * 6901).
 */

// package.json names exactly version 3.1.1, which is the latest. The checks in `applyJsonPatch` are
// written for what this version does, and our tests prove RFC 6902 for the two together. With a
// range, an installation could get a version that changes items differently and that no test of
// ours has seen.
import jsonpatch from 'fast-json-patch'
import { escapePointerToken } from '../../base/json-text.js'

/** The kinds of operations. */
export type PatchOp = 'add' | 'remove' | 'replace'

/** An operation cannot be applied. The message contains nothing from the document. */
export class PatchError extends Error {}

/**
 * Applies one operation and returns the changed document. The given document stays unchanged.
 * Objects and arrays on the path are copied, everything else is shared. Values in `owned` were
 * copied by an earlier operation and are changed in place. New copies are added to `owned`.
 *
 * fast-json-patch applies the change. It would follow inherited keys, take `01` for an index, and
 * replace what does not exist. So the path is first walked here, by own properties and RFC 6901
 * indices only.
 * @throws PatchError if the path does not exist (RFC 6902, section 4).
 */
export function applyJsonPatch(
  document: unknown,
  op: PatchOp,
  tokens: readonly (string | number)[],
  value: unknown,
  owned = new Set<unknown>(),
): unknown {
  const changed = toOwned(document, owned)
  let parent = changed
  for (const [depth, token] of tokens.entries()) {
    const isLast = depth === tokens.length - 1
    if (token === '__proto__') throw new PatchError('cannot be applied')
    if (!pathExists(parent, String(token), isLast && op === 'add'))
      throw new PatchError('path does not exist')
    if (isLast) break
    const child = toOwned(Reflect.get(parent, token), owned)
    Reflect.set(parent, token, child)
    parent = child
  }
  const last = tokens.at(-1)
  const path =
    last === undefined ? '' : `/${/[~/]/.test(`${last}`) ? escapePointerToken(`${last}`) : last}`
  const operation = { op, path, value } as jsonpatch.Operation
  try {
    const { newDocument } = jsonpatch.applyOperation(parent, operation, true, true)
    return last === undefined ? newDocument : changed
  } catch {
    // The library's error contains the document, so it is not passed on.
    throw new PatchError('cannot be applied')
  }
}

/**
 * Returns a shallow copy of an object or array and adds the copy to `owned`. An owned value, and a
 * value of any other kind, is returned unchanged.
 */
function toOwned(value: unknown, owned: Set<unknown>): unknown {
  if (typeof value !== 'object' || value === null || owned.has(value)) return value
  const copy = Array.isArray(value) ? [...value] : { ...value }
  owned.add(copy)
  return copy
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

/**
 * Returns the reference tokens of a pointer, unescaped, or undefined if the string is not a
 * pointer.
 */
export function parsePointer(text: string): string[] | undefined {
  if (text === '') return []
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined
  const tokens = text.slice(1).split('/')
  if (!text.includes('~')) return tokens
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * Returns the array index of a token: digits without a leading zero, in the range of safe integers.
 * Undefined if the token is not an index.
 */
export function parseIndex(token: string): number | undefined {
  if (!/^(?:0|[1-9]\d*)$/.test(token)) return undefined
  const index = Number(token)
  return Number.isSafeInteger(index) ? index : undefined
}
