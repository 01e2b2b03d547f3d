/**
 * A model of `patchItem`, written from the sentences of the contract alone: the operations, and
 * then the item that a valid result becomes. It uses nothing of the library and changes nothing in
 * place.
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

/** A placeholder for a generated id. */
export const newId = '<new>'

/** A placeholder for a generated value. */
export const generated = '<generated>'

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
 * field with that id, also if its `generate` is false. It moves to the given section; otherwise it keeps its own, unless the item no
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
  if (isOfField && op !== 'remove') require([undefined, id].includes(getId(value) as string))
  if (isOfField && op === 'add' && ref < 0) return [...fields, whole({ ...(value as Json), id })]
  require(ref >= 0)
  if (isOfField && op === 'remove') return fields.filter((_, other) => other !== ref)
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

/** Returns whether a value is a JSON object. */
function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the id of a value that can be a field. */
export function getId(field: unknown): unknown {
  return isObject(field) ? field['id'] : undefined
}

function isReference(field: unknown): boolean {
  if (!isObject(field) || typeof field['id'] !== 'string') return false
  const definesNothing = field['generate'] === undefined || field['generate'] === false
  return (
    definesNothing && !['type', 'label', 'value', 'purpose', 'recipe'].some((name) => name in field)
  )
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

const labels = new Map([
  ['USERNAME', 'username'],
  ['PASSWORD', 'password'],
  ['NOTES', 'notesPlain'],
])
const day = /^(?:2024-02-29|\d+)$/

/**
 * Returns the attributes of the final item that a client can set; undefined if the state is not a
 * valid item.
 */
export function toModelItem(state: ModelState): Json | undefined {
  const {
    category,
    title,
    favorite = false,
    tags = [],
    urls = [],
    sections = [],
    fields = [],
  } = state
  const isValid =
    isKept(state) &&
    isOne(category, ['LOGIN', 'SERVER', 'CUSTOM']) &&
    isText(title) &&
    typeof favorite === 'boolean' &&
    isList(tags, (tag) => typeof tag === 'string') &&
    isList(urls, (url) => isObject(url) && isUrl(url)) &&
    isList(
      sections,
      (section) => isObject(section) && isText(section['id']) && isText(section['label']),
    ) &&
    isList(fields, (field) => isObject(field) && isField(field))
  if (!isValid) return undefined
  const ids = (sections as Json[]).map(getId)
  const isWhole =
    areUnlike(ids) &&
    (urls as Json[]).filter(({ primary }) => primary).length <= 1 &&
    areUnlike((fields as Json[]).map(getId)) &&
    areUnlike((fields as Json[]).map(({ purpose }) => purpose || undefined)) &&
    (fields as Json[]).every(
      ({ section }) => getId(section) === undefined || ids.includes(getId(section)),
    )
  if (!isWhole) return undefined
  return present({
    category,
    title,
    favorite,
    tags,
    urls: (urls as Json[]).map((url) => only(url, ['href', 'label', 'primary'])),
    sections: (sections as Json[]).map((section) => ({
      id: newId,
      ...only(section, ['id', 'label']),
    })),
    fields: (fields as Json[]).map(fieldOf),
  })
}

/**
 * The members that the vault sets can be sent, in the format of the vault. No item has a drawn id, so
 * another item or vault is sent.
 */
function isKept({ id, vault, state, version, createdAt, lastEditedBy, files }: Json): boolean {
  return (
    id === undefined &&
    vault === undefined &&
    isOne(state, [undefined, 'ARCHIVED', 'DELETED']) &&
    (version === undefined || Number.isInteger(version)) &&
    (createdAt === undefined || /^\d{4}-01-01T00:00:00Z$/.test(String(createdAt))) &&
    isText(lastEditedBy) &&
    (files === undefined || isList(files, (file) => isObject(file) && isText(file['id'])))
  )
}

function fieldOf(field: Json): Json {
  const label = labels.get(String(field['purpose']))
  const value = isGenerated(field) ? generated : field['value']
  const section = isObject(field['section']) ? only(field['section'], ['id']) : undefined
  const known = only(field, ['id', 'type', 'label', 'purpose'])
  return present({ type: 'STRING', label, ...known, value, section })
}

function isField(field: Json): boolean {
  const { id, type, label, value, purpose, section, generate, recipe } = field
  return (
    typeof id === 'string' &&
    isOne(type, [undefined, 'STRING', 'CONCEALED', 'URL', 'MENU', 'DATE']) &&
    isText(label) &&
    isOne(purpose, [undefined, '', 'USERNAME', 'PASSWORD', 'NOTES']) &&
    isOne(generate, [undefined, true, false]) &&
    (section === undefined || (isObject(section) && isText(section['id']))) &&
    (recipe === undefined || isRecipe(recipe)) &&
    (isGenerated(field)
      ? type !== 'DATE' && sizeOf(recipe) >= 2
      : isText(value) && (type !== 'DATE' || value === undefined || day.test(String(value))))
  )
}

/**
 * A value is generated where it is absent, or also where it is null or empty if that is requested.
 */
function isGenerated({ generate, value }: Json): boolean {
  return generate === true && isOne(value, [undefined, null, ''])
}

function isRecipe(recipe: unknown): boolean {
  if (!isObject(recipe)) return false
  const { characterSets = [], excludeCharacters = '', length = 32 } = recipe
  const isSets = isList(characterSets, (set) => isOne(set, ['LETTERS', 'DIGITS', 'SYMBOLS']))
  const isLength = Number.isInteger(length) && Number(length) >= 1 && Number(length) <= 64
  return (
    isSets &&
    areUnlike(characterSets as unknown[]) &&
    typeof excludeCharacters === 'string' &&
    isLength
  )
}

/**
 * Counts the characters that a recipe allows, as far as digits alone matter: with letters there are
 * always enough.
 */
function sizeOf(recipe: unknown): number {
  const { characterSets = [], excludeCharacters = '' } = isObject(recipe) ? recipe : {}
  const isDigits = Array.isArray(characterSets) && characterSets.join() === 'DIGITS'
  return isDigits ? 10 - new Set(String(excludeCharacters).match(/\d/g)).size : 2
}

function isUrl({ href, label, primary }: Json): boolean {
  return (
    isText(label) &&
    isOne(primary, [undefined, true, false]) &&
    /^https:\/\/\w+$/.test(String(href))
  )
}

function isList(list: unknown, isElement: (element: unknown) => boolean): boolean {
  return Array.isArray(list) && list.every(isElement)
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

function isOne(value: unknown, values: readonly unknown[]): boolean {
  return values.includes(value)
}

/** Returns whether no element occurs twice. Undefined and placeholders differ from everything. */
function areUnlike(values: readonly unknown[]): boolean {
  const known = values.filter((value) => value !== undefined && value !== newId)
  return new Set(known).size === known.length
}

function only(value: Json, names: readonly string[]): Json {
  return present(Object.fromEntries(names.map((name) => [name, value[name]])))
}

function present(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}
