/** Arbitrary patches, most of which can be applied. */

import {
  applyModelOperation,
  getId,
  type Json,
  type ModelOperation,
  type ModelState,
  newId,
} from '../items/patch-model.js'
import { type Draw, drawField, drawFields, ids, texts } from './items.js'

type Operation = (state: ModelState, draw: Draw) => ModelOperation

const junk = [
  ...[null, 5, 'text', false, [], {}, [null], ['x']],
  ...[{ id: 'pin' }, { id: 5 }, { category: 'LOGIN' }],
]
const wildPaths = [
  ...['', '/', '//', 'title', '/id', '/vault', '/files', '/constructor', '/__proto__'],
  ...['/category', '/title', '/favorite', '/tags', '/urls', '/sections', '/fields'],
  ...['/tags/01', '/tags/-1', '/tags/1e0', '/tags/9', '/tags/0/0', '/urls/-/href'],
  ...['/sections/0', '/sections/0/id', '/fields/lost', '/fields/lost/label', '/fields/~2'],
  ...['/fields/-/label', '/fields/__proto__/x', '/fields/pin/id', '/fields/pin/type'],
  ...['/fields/pin/purpose', '/fields/pin/section', '/fields/pin/section/id'],
  ...['/fields/pin/recipe', '/fields/pin/recipe/length'],
]

/**
 * Draws a patch of one or more operations. Each operation is drawn for the result of those before
 * it.
 */
export function drawPatch(item: Json, draw: Draw, maxLength: number): ModelOperation[] {
  let state = item
  const lengths = Array.from({ length: maxLength }, (_, index) => index + 1)
  return Array.from({ length: draw(lengths) }, () => {
    // Like the body of a request, without undefined members.
    const operation = JSON.parse(JSON.stringify(draw(operations)(state, draw)))
    state = applyModelOperation(state, operation) ?? state
    return operation
  })
}

const ofAttribute: Operation = (state, draw) => {
  const [name, values] = draw<[string, readonly unknown[]]>([
    ['title', texts],
    ['favorite', [true, false]],
    ['category', ['LOGIN', 'SERVER', 'CUSTOM']],
  ])
  const ops = name in state ? ['add', 'replace', name === 'category' ? 'add' : 'remove'] : ['add']
  return { op: draw(ops), path: `/${name}`, value: draw(values) }
}

const ofList: Operation = (state, draw) => {
  const name = draw(['tags', 'urls', 'sections'])
  const fresh = (): unknown => newElement(name, draw)
  const list = state[name]
  if (!Array.isArray(list)) return { op: 'add', path: `/${name}`, value: [fresh()] }
  const whole = {
    op: draw(['replace', 'remove', 'add']),
    path: `/${name}`,
    value: list.toReversed(),
  }
  const index = draw([...list.keys(), '-'])
  if (index === '-') return draw([whole, { op: 'add', path: `/${name}/-`, value: fresh() }])
  const label = { op: 'add', path: `/${name}/${index}/label`, value: draw(texts) }
  const ofElement = ['add', 'replace', 'remove'].map((op) => ({
    op,
    path: `/${name}/${index}`,
    value: fresh(),
  }))
  return draw(name === 'tags' ? ofElement : [...ofElement, label])
}

const ofFieldAttribute: Operation = (state, draw) => {
  const field = draw(fieldsOf(state))
  if (field === undefined) return ofNewField(state, draw)
  const path = pathOf(field)
  const { id: _, ...attributes } = { ...field, ...drawField(state, draw) }
  const name = draw(Object.keys(attributes))
  const op = name in field ? draw(['add', 'replace', name === 'type' ? 'add' : 'remove']) : 'add'
  return { op, path: `${path}/${name}`, value: attributes[name as keyof typeof attributes] }
}

const ofField: Operation = (state, draw) => {
  const field = draw(fieldsOf(state))
  if (field === undefined) return ofNewField(state, draw)
  return {
    op: draw(['replace', 'remove', 'add']),
    path: pathOf(field),
    value: { ...draw([{}, {}, {}, { id: field['id'] }]), ...drawField(state, draw) },
  }
}

/** A reference to a field, without or with another section. */
const ofReference: Operation = (state, draw) => {
  const field = draw(fieldsOf(state))
  if (field === undefined) return ofNewField(state, draw)
  const { id } = field
  const sections = Array.isArray(state['sections']) ? state['sections'] : []
  const section = draw([{}, {}, ...sections.map((each) => ({ section: { id: getId(each) } }))])
  return draw([
    { op: draw(['replace', 'add']), path: pathOf(field), value: { ...section } },
    { op: draw(['replace', 'add']), path: pathOf(field), value: { id, ...section } },
    { op: 'replace', path: '/fields', value: [{ id, ...section }] },
    {
      op: draw(['add', 'replace']),
      path: draw(['/fields/lost', '/fields']),
      value: { id, ...section },
    },
  ])
}

const ofNewField: Operation = (state, draw) => {
  const taken = fieldsOf(state).map(getId)
  const id = draw(ids.filter((other) => !taken.includes(other)))
  const value = drawField(state, draw)
  if (!Array.isArray(state['fields']))
    return { op: 'add', path: '/fields', value: [{ id, ...value }] }
  return draw([
    { op: 'add', path: pathOf({ id }), value },
    { op: 'add', path: draw(['/fields', '/fields/-']), value: { id, ...value } },
    { op: 'add', path: draw(['/fields', '/fields/-']), value },
  ])
}

const ofAllFields: Operation = (state, draw) => {
  const value = draw([
    drawFields(draw, state),
    fieldsOf(state).toReversed(),
    fieldsOf(state).slice(1),
  ])
  const ops = 'fields' in state ? ['add', 'replace', 'remove'] : ['add']
  return { op: draw(ops), path: '/fields', value }
}

const ofTheItem: Operation = (state, draw) => {
  const references = fieldsOf(state).map(({ id }) => ({ id }))
  const { sections = [] } = state
  const fresh = drawFields(draw, state).filter(({ id }) =>
    references.every((other) => other.id !== id),
  )
  const fields = draw([
    {},
    { fields: references },
    { fields: [...fresh, ...references.toReversed()] },
    { fields: fresh },
  ])
  const other = 'z'.repeat(26)
  const kept = {
    ...{ state: 'DELETED', version: -7, lastEditedBy: '' },
    ...{ createdAt: '0001-01-01T00:00:00Z', files: [{ id: 'x' }], trashed: true },
  }
  const malformed = draw([
    { id: 'x' },
    { id: other },
    { vault: { id: other } },
    { state: 'GONE' },
    { version: '7' },
    { createdAt: 'yesterday' },
    { lastEditedBy: [] },
    { files: [{ id: 5 }] },
  ])
  const value = {
    category: draw(['LOGIN', 'CUSTOM']),
    ...draw([{}, { title: 'Whole' }, { sections }, kept, kept, draw([{}, {}, malformed])]),
    ...fields,
    ...draw([{ sections }, { sections }, {}]),
  }
  return { op: draw(['add', 'replace']), path: draw(['', '/']), value }
}

const generation: Operation = (state, draw) => {
  const field = draw(
    fieldsOf(state).filter(({ value, type }) => value === undefined || type !== 'DATE'),
  )
  if (field === undefined) return ofNewField(state, draw)
  if (field['value']) return { op: 'remove', path: `${pathOf(field)}/value` }
  return { op: 'add', path: `${pathOf(field)}/generate`, value: true }
}

const wild: Operation = (_state, draw) => ({
  op: draw(['add', 'remove', 'replace', 'move', 'toString']),
  path: draw(wildPaths),
  ...draw([{ value: draw(junk) }, {}]),
})

/** An operation that is in the list several times is drawn more often. */
const operations = [
  ...[ofFieldAttribute, ofFieldAttribute, ofFieldAttribute, ofFieldAttribute],
  ...[ofNewField, ofNewField, ofNewField, ofField, ofField, ofReference, ofAllFields],
  ...[ofTheItem, ofTheItem, ofAttribute, ofAttribute, ofList, ofList, generation, generation],
  wild,
]

function newElement(name: string, draw: Draw): unknown {
  if (name === 'tags') return draw(texts)
  if (name === 'urls')
    return {
      href: draw(['https://c', 'https://d']),
      ...draw([{}, { primary: false }, { label: '' }]),
    }
  return { id: draw(['s1', 's2', 's3', 's4', 's5', 's6']), ...draw([{}, { label: draw(texts) }]) }
}

/** The fields that can be addressed: all except those with generated ids. */
function fieldsOf({ fields }: ModelState): Json[] {
  const isKnown = (field: unknown): boolean =>
    typeof getId(field) === 'string' && getId(field) !== newId
  return Array.isArray(fields) ? fields.filter(isKnown) : []
}

function pathOf(field: Json): string {
  return `/fields/${String(field['id']).replaceAll('~', '~0').replaceAll('/', '~1')}`
}
