/** Items at random, drawn by numbers. */

import fc from 'fast-check'
import { idOf, type Json } from '../items/patch-model.js'

/** Draws one of a list. */
export type Draw = <Value>(list: readonly Value[]) => Value

/** Ids of fields, some of which need escapes or are names that objects inherit. */
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

/** What a case is drawn by. */
export const drawnNumbers: fc.Arbitrary<number[]> = fc.array(fc.nat(), {
  minLength: 24,
  maxLength: 160,
  size: 'max',
})

/** Draws as the numbers say, from the first again after the last; shrinks towards the first of each list. */
export function drawing(numbers: readonly number[]): Draw {
  let next = 0
  return (list) => list[(numbers[next++ % numbers.length] as number) % list.length] as never
}

/** What a client may set of an item. */
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

/** Up to three fields of different ids, which may stand in the sections. */
export function drawFields(draw: Draw, item: Json): Json[] {
  const start = draw([...ids.keys()])
  const chosen = ids.slice(start, start + draw([0, 1, 2, 3]))
  return chosen.map((id) => ({ id, ...drawField(item, draw) }))
}

/** What a field is but its id; nearly always valid. */
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
      ...sections.map((section: unknown) => ({ section: { id: idOf(section) } })),
    ]),
    ...draw([...Array(24).fill({}), ...rare, { purpose: '' }]),
  }
}
