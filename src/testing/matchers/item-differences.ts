/** Compares an item with a draft. */

/** Attributes that the vault sets, and those that are never stored. */
const ignored: ReadonlySet<string> = new Set([
  ...['id', 'state', 'version', 'createdAt', 'updatedAt', 'lastEditedBy', 'files'],
  ...['generate', 'recipe', 'entropy'],
])

/** Lists that can have more elements than the draft, because a dialect adds fields. */
const extensible: ReadonlySet<string> = new Set(['fields', 'sections'])

/**
 * Returns the paths at which the item differs from the draft, such as `fields/password/value`. No
 * path contains a value. List elements with ids are matched by id, others by index.
 */
export function findDifferences(
  item: unknown,
  draft: object,
  equals: (left: unknown, right: unknown) => boolean,
): readonly string[] {
  return compareMembers(item, draft, '', equals)
}

function compareMembers(
  item: unknown,
  draft: object,
  path: string,
  equals: (left: unknown, right: unknown) => boolean,
): readonly string[] {
  if (typeof item !== 'object' || item === null) return [path || 'the item']
  return Object.entries(draft).flatMap(([name, wanted]) => {
    // Null is only valid beside `generate`.
    if (ignored.has(name) || wanted === undefined || wanted === null) return []
    const found: unknown = Reflect.get(item, name)
    const place = path === '' ? name : `${path}/${name}`
    if (Array.isArray(wanted)) return compareLists(found, wanted, place, equals)
    return equals(found, wanted) ? [] : [place]
  })
}

function compareLists(
  found: unknown,
  wanted: readonly unknown[],
  path: string,
  equals: (left: unknown, right: unknown) => boolean,
): readonly string[] {
  if (!Array.isArray(found)) return [path]
  const differences = wanted.flatMap((element, index) => {
    const { id } = Object(element)
    const place = `${path}/${id ?? index}`
    const other: unknown =
      id === undefined ? found[index] : found.find((each) => Object(each).id === id)
    if (typeof element === 'object' && element !== null && !isAsymmetric(element))
      return other === undefined ? [place] : compareMembers(other, element, place, equals)
    return equals(other, element) ? [] : [place]
  })
  const isComplete = found.length === wanted.length || extensible.has(path)
  return isComplete ? differences : [...differences, `${path} (another length)`]
}

function isAsymmetric(value: object): boolean {
  return typeof Reflect.get(value, 'asymmetricMatch') === 'function'
}
