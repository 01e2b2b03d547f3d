/**
 * A model of the patch dialect, written from the sentences of the contract alone. It uses nothing
 * of the library and changes nothing in place.
 */

/** An operation with any `op`. */
export interface ModelOperation {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

/** The attributes that a client can set, during a patch. A removed attribute is absent. */
export type ModelState = Json

/** The operation is invalid. */
class InvalidOperation extends Error {}

const index = '(?:0|[1-9]\\d*|-)'
const addressable = [
  '/(?:category|title|favorite|fields)',
  `/tags(?:/${index})?`,
  `/urls(?:/${index}(?:/(?:href|label|primary))?)?`,
  `/sections(?:/${index}(?:/(?:id|label))?)?`,
  '/fields/[^/]*(?:/(?:type|label|value|purpose|generate))?',
  '/fields/[^/]*/section(?:/id)?',
  '/fields/[^/]*/recipe(?:/(?:characterSets|excludeCharacters|length))?',
].map((pattern) => new RegExp(`^${pattern}$`))

/** Applies an operation; returns undefined if it is invalid. */
export function applyModelOperation(
  state: ModelState,
  operation: ModelOperation,
): ModelState | undefined {
  try {
    return applyOperation(state, operation)
  } catch (error) {
    if (error instanceof InvalidOperation) return undefined
    throw error
  }
}

function applyOperation(state: ModelState, { op, path, value }: ModelOperation): ModelState {
  require(['add', 'remove', 'replace'].includes(op))
  require(op === 'remove' || value !== undefined)
  if (path === '' || path === '/') return whole(state, op, value)
  require(addressable.some((pattern) => pattern.test(path)))
  const tokens = path.slice(1).split('/').map(decodeToken)
  if (tokens[0] !== 'fields') return applyToNode(state, op, tokens, value) as ModelState
  const [, id, ...attribute] = tokens
  if (id === undefined && !(op === 'add' && isObject(value))) {
    require(op !== 'add' || Array.isArray(value))
    return applyToNode(state, op, tokens, resolveReferences(value, state, state)) as ModelState
  }
  return { ...state, fields: applyToFields(state, op, id ?? '-', attribute, value) }
}

/** Replaces the whole item as PUT does: absent attributes become empty. */
function whole(state: ModelState, op: string, value: unknown): ModelState {
  require(op !== 'remove' && isObject(value))
  const emptyItem = { favorite: false, tags: [], urls: [], sections: [], fields: [] }
  const next: Json = { ...emptyItem, ...(value as Json) }
  return { ...next, fields: resolveReferences(next['fields'], state, next) }
}

/**
 * Resolves references: a field with only an id, or an id and a section, is replaced by the earlier
 * field with that id. It moves to the given section; otherwise it keeps its own, unless the item no
 * longer has it.
 */
function resolveReferences(fields: unknown, before: ModelState, after: ModelState): unknown {
  if (!Array.isArray(fields)) return fields
  return fields.map((field: unknown) => {
    if (!isReference(field)) return field
    const found = listIn(before, 'fields').find((other) => getId(other) === getId(field))
    require(isObject(found))
    const { section: old, ...kept } = found as Json
    const isSectionRemoved =
      typeof getId(old) === 'string' &&
      listIn(after, 'sections').every((section) => getId(section) !== getId(old))
    const section = (field as Json)['section'] ?? (isSectionRemoved ? undefined : old)
    return section === undefined ? kept : { ...kept, section }
  })
}

function listIn(state: ModelState, name: string): readonly unknown[] {
  const list = state[name]
  return Array.isArray(list) ? list : []
}

function applyToFields(
  state: ModelState,
  op: string,
  id: string,
  attribute: readonly string[],
  value: unknown,
): readonly unknown[] {
  const { fields } = state
  if (!Array.isArray(fields)) throw new InvalidOperation()
  const isOfField = attribute.length === 0
  if (isOfField && op !== 'remove') require(isObject(value))
  const whole = (field: unknown): unknown =>
    (resolveReferences([field], state, state) as unknown[])[0]
  if (isOfField && op === 'add' && id === '-')
    return [...fields, { id: newId, ...(whole(value) as Json) }]
  const ref = fields.findIndex((field) => getId(field) === id)
  if (isOfField && op === 'add' && ref < 0) return [...fields, whole({ ...(value as Json), id })]
  require(ref >= 0)
  if (isOfField && op === 'remove') return fields.filter((_, other) => other !== ref)
  if (isOfField && op === 'replace') require([undefined, id].includes(getId(value) as string))
  const field = isOfField
    ? whole({ ...(value as Json), id })
    : applyToNode(fields[ref], op, attribute, value)
  return fields.map((old, other) => (other === ref ? field : old))
}

/** JSON Patch on plain JSON (RFC 6902, section 4). */
function applyToNode(
  node: unknown,
  op: string,
  tokens: readonly string[],
  value: unknown,
): unknown {
  const [token, ...rest] = tokens
  if (token === undefined) return value
  const isLast = rest.length === 0
  if (Array.isArray(node)) {
    const at = token === '-' ? node.length : Number(token)
    require(isLast && op === 'add' ? at <= node.length : token !== '-' && at < node.length)
    if (isLast && op !== 'replace')
      return node.toSpliced(at, op === 'add' ? 0 : 1, ...(op === 'add' ? [value] : []))
    return node.map((old, other) => (other === at ? applyToNode(old, op, rest, value) : old))
  }
  require(isObject(node) && ((isLast && op === 'add') || Object.hasOwn(node as Json, token)))
  const others = Object.entries(node as Json).filter(([name]) => name !== token)
  if (isLast && op === 'remove') return Object.fromEntries(others)
  return Object.fromEntries([
    ...others,
    [token, applyToNode((node as Json)[token], op, rest, value)],
  ])
}

/** A placeholder for a generated id. */
export const newId = '<new>'

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the id of a value that can be a field. */
export function getId(field: unknown): unknown {
  return isObject(field) ? field['id'] : undefined
}

function isReference(field: unknown): boolean {
  if (!isObject(field) || typeof field['id'] !== 'string') return false
  return !['type', 'label', 'value', 'purpose', 'generate', 'recipe'].some((name) => name in field)
}

function decodeToken(token: string): string {
  return token.replace(/~(.)/g, (_, code) => {
    require(code === '0' || code === '1')
    return code === '0' ? '~' : '/'
  })
}

function require(condition: boolean): void {
  if (!condition) throw new InvalidOperation()
}
