/** Invalid values of URLs, recipes, dates and months. */

/**
 * URLs that are not allowed. URL parsers remove spaces at both ends, and tabs and line breaks
 * anywhere.
 */
export function invalidUrls(marker: string): readonly unknown[] {
  return [
    '',
    null,
    5,
    '/login',
    'https://',
    `JavaScript:${marker}`,
    ` javascript:${marker}`,
    `java\nscript:${marker}`,
    `\tjavascript\t:${marker}`,
    `DATA:text/html,${marker}`,
  ]
}

/** Recipes with an invalid length, character set or exclusion. */
export function invalidRecipes(marker: string): readonly unknown[] {
  const lengths = [0, -1, 65, 1.5, 2 ** 53, 1e300, '32', null, [8], {}]
  const sets: readonly unknown[] = [
    ['LETTERS', 'DIGITS', 'SYMBOLS', 'LETTERS'],
    ['DIGITS', 'DIGITS'],
    ['digits'],
    ['RUNES'],
    [null],
    'DIGITS',
    {},
    null,
  ]
  const excluded: readonly unknown[] = [null, 5, ['a'], `${marker}\0`, '\ud800']
  return [
    ...lengths.map((length) => ({ length })),
    ...sets.map((characterSets) => ({ characterSets })),
    ...excluded.map((excludeCharacters) => ({ excludeCharacters })),
    { characterSets: ['SYMBOLS'], excludeCharacters: '!@.-_' },
  ]
}

/** Values that are not dates. */
export const invalidDates = [
  '',
  '2020-02-30',
  '2021-02-29',
  '2020-13-01',
  '2020-00-10',
  '2020-1-1',
  '20-01-01',
  '2020-01-01T00:00:00Z',
  '1.5',
  ' 1',
]

/** Values that are not months. */
export const invalidMonths = [
  '',
  '202000',
  '202013',
  '2020.12',
  '2020-13',
  '2020/1',
  '20/12',
  '2020',
]
