/** Arbitrary items, drawn from a list of numbers. */

import fc from 'fast-check'
import { getId, type Json } from '../items/patch-model.js'

/** Returns one element of a list. */
export type Draw = <Value>(list: readonly Value[]) => Value

/** Ids of fields; some need escapes or are names of inherited members. */
export const ids = [
  'username',
  'pin',
  'a/b',
  'm~n',
  '~1',
  '/',
  'constructor',
  '__proto__',
  'toString',
  '0',
  '-',
  '',
]

/** Titles, tags, labels and values. */
export const texts = ['', 'x', 'hunter2', 'ß😀', '/title']

/** The numbers that determine a case. */
export const caseNumbers: fc.Arbitrary<number[]> = fc.array(fc.nat(), {
  minLength: 24,
  maxLength: 160,
  size: 'max',
})

/**
 * Returns a function that draws by these numbers and starts again after the last one. Shrinks
 * towards the first element of each list.
 */
export function createDraw(numbers: readonly number[]): Draw {
  let next = 0
  return (list) => list[(numbers[next++ % numbers.length] as number) % list.length] as never
}

/** Draws the attributes of an item that a client can set. */
export function drawItem(draw: Draw): Json {
  const sections = draw([[], [{ id: 'more', label: 'More' }], [{ id: 'more' }, { id: 's~/' }]])
  const password = { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', generate: true }
  return {
    category: draw(['LOGIN', 'SERVER']),
    ...draw([{}, { title: 'Title' }]),
    tags: draw([[], ['work'], ['work', 'mail', '']]),
    urls: draw([
      [],
      [
        { href: 'https://a', primary: true },
        { href: 'https://b', label: 'B' },
      ],
    ]),
    sections,
    fields: [...draw([[], [password]]), ...drawFields(draw, { sections })],
  }
}

/** Draws up to three fields with different ids, possibly in the sections of the item. */
export function drawFields(draw: Draw, item: Json): Json[] {
  const start = draw([...ids.keys()])
  const chosen = ids.slice(start, start + draw([0, 1, 2, 3]))
  return chosen.map((id) => ({ id, ...drawField(item, draw) }))
}

/** Draws the attributes of a field except its id; nearly always valid. */
export function drawField({ sections: known }: Json, draw: Draw): Json {
  const sections = Array.isArray(known) ? known : []
  const recipe = {
    recipe: draw([
      {},
      { length: 1 },
      { characterSets: ['DIGITS'], length: 6 },
      { excludeCharacters: '0' },
    ]),
  }
  const badRecipe = {
    recipe: draw([{ length: 0 }, { characterSets: ['DIGITS'], excludeCharacters: '012345678' }]),
  }
  const rare = [
    { purpose: 'NOTES' },
    { purpose: 'USERNAME' },
    { type: 'DATE', value: '2024-02-29' },
    badRecipe,
    { value: null },
  ]
  return {
    type: draw(['STRING', 'CONCEALED', 'URL', 'MENU']),
    ...draw([{}, {}, { label: draw(texts) }]),
    ...draw([{}, { value: draw(texts) }, { value: draw(texts) }, { generate: true, ...recipe }]),
    ...draw([
      {},
      {},
      {},
      { section: {} },
      ...sections.map((section: unknown) => ({ section: { id: getId(section) } })),
    ]),
    ...draw([...Array(24).fill({}), ...rare, { purpose: '' }]),
  }
}
