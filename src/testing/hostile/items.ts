/** Items that no vault takes, with a marker in every value that a client invents: list E of the bad inputs. */

import type { ItemDraft } from '../../index.js'
import { type HostileRequest, type ServiceSetup, canary as secret } from './hostile-case.js'

type Members = Record<string, unknown>

/** An item whose every value is the marker. */
export function canaryDraft(
  marker: string,
  vaultId: string,
): ItemDraft & { fields: readonly object[] } {
  const draft = {
    category: 'LOGIN' as const,
    vault: { id: vaultId, [marker]: marker },
    title: marker,
    favorite: true,
    tags: [marker],
    urls: [{ href: `https://${marker}.example/${marker}`, label: marker, [marker]: marker }],
    sections: [{ id: marker, label: marker, [marker]: marker }],
    fields: [
      { id: 'user', label: marker, value: marker, section: { id: marker }, [marker]: marker },
      {
        id: 'made',
        type: 'CONCEALED' as const,
        purpose: 'PASSWORD' as const,
        generate: true,
        recipe: { excludeCharacters: marker, [marker]: marker },
      },
    ],
    [marker]: { [marker]: [marker] },
  }
  return draft
}

/** Items that no vault takes, by what is wrong with them. */
export function invalidItems(marker: string, vaultId: string): Record<string, unknown> {
  const draft = canaryDraft(marker, vaultId)
  const withField = (members: Members): unknown => ({
    ...draft,
    fields: [...draft.fields, { id: 'bad', label: marker, ...members }],
  })
  return {
    'no object': marker,
    'a list': [marker, draft],
    'no category': { ...draft, category: undefined },
    'an unknown category': { ...draft, category: marker },
    'no vault': { ...draft, vault: marker },
    'another vault': { ...draft, vault: { id: marker } },
    'a title of members': { ...draft, title: { [marker]: marker } },
    'a title with U+0000': { ...draft, title: `${marker}\0` },
    'a title with a lone surrogate': { ...draft, title: `${marker}\ud800` },
    'a title that is too long': { ...draft, title: marker.padEnd(65_537) },
    'a text for a boolean': { ...draft, favorite: marker },
    'a text for tags': { ...draft, tags: marker },
    'a tag of members': { ...draft, tags: [{ [marker]: marker }] },
    'too many tags': { ...draft, tags: Array(101).fill(marker) },
    'too many fields': { ...draft, fields: Array(1001).fill({ id: 'a', value: marker }) },
    'an address that is none': { ...draft, urls: [{ href: marker }] },
    'an address without href': { ...draft, urls: [{ [marker]: marker }] },
    'a script for an address': { ...draft, urls: [{ href: `javascript:${marker}` }] },
    'data for an address': { ...draft, urls: [{ href: `data:,${marker}` }] },
    'two primary addresses': {
      ...draft,
      urls: [1, 2].map((forEachValue) => ({ href: `https://${marker}/${forEachValue}`, primary: true })),
    },
    'sections of one id': { ...draft, sections: [{ id: marker }, { id: marker, label: marker }] },
    'a section’s label of members': { ...draft, sections: [{ id: marker, label: [marker] }] },
    'a text for fields': { ...draft, fields: marker },
    'a text for a field': { ...draft, fields: [marker] },
    'a field without id': { ...draft, fields: [{ [marker]: marker, value: marker }] },
    'fields of one id': { ...draft, fields: [1, 2].map(() => ({ id: 'a', value: marker })) },
    'two passwords': withField({ purpose: 'PASSWORD', value: marker }),
    'an unknown type': withField({ type: marker }),
    'an unknown purpose': withField({ purpose: marker }),
    'a value of members': withField({ value: { [marker]: marker } }),
    'a value with U+0000': withField({ value: `${marker}\0` }),
    'a day that is none': withField({ type: 'DATE', value: marker }),
    'a month that is none': withField({ type: 'MONTH_YEAR', value: marker }),
    'an unknown section': withField({ value: marker, section: { id: `${marker}!` } }),
    'a section of text': withField({ section: marker }),
    'a text for generate': withField({ generate: marker }),
    'a recipe of text': withField({ generate: true, recipe: marker }),
    'an unknown set': withField({ generate: true, recipe: { characterSets: [marker] } }),
    'a text for a length': withField({ generate: true, recipe: { length: marker } }),
    'a recipe that leaves nothing': withField({
      generate: true,
      recipe: { characterSets: ['DIGITS'], excludeCharacters: `0123456789${marker}` },
    }),
    ...forEachValue('the category', ['', 'login', 'LOGIN ', null, 5, ['LOGIN']], (category) => ({
      ...draft,
      category,
    })),
    ...forEachValue('the vault', [null, {}, [], { id: null }, { id: vaultId.toUpperCase() }], (vault) => ({
      ...draft,
      vault,
    })),
    ...forEachValue('the version', [null, '1', 1.5, marker], (version) => ({ ...draft, version })),
    ...forEachValue('the time', [null, 5, '', marker], (createdAt) => ({ ...draft, createdAt })),
    ...forEachValue('the files', [null, marker, [marker]], (files) => ({ ...draft, files })),
    ...forEachValue('the title', [null, 5, true, [marker]], (title) => ({ ...draft, title })),
    ...forEachValue('the favorite', [null, 0, 'true', [], {}], (favorite) => ({ ...draft, favorite })),
    ...['tags', 'urls', 'sections', 'fields'].reduce(
      (all, name) => ({
        ...all,
        ...forEachValue(`the ${name}`, [null, {}, 5, true, [null], [5], [[]]], (list) => ({
          ...draft,
          [name]: list,
        })),
      }),
      {},
    ),
    ...forEachValue('the address', invalidUrls(marker), (href) => ({ ...draft, urls: [{ href }] })),
    'too many sections': {
      ...draft,
      sections: Array.from({ length: 101 }, (_, id) => ({ id: `${id}` })),
    },
    'too many addresses': { ...draft, urls: Array(101).fill({ href: 'https://a.example' }) },
    ...forEachValue('the type', ['', 'string', 'OTP', 'SSHKEY', null, 5, []], (type) =>
      withField({ type }),
    ),
    ...forEachValue('the purpose', ['password', 'notes', 'OTHER', null, 5, []], (purpose) =>
      withField({ purpose }),
    ),
    ...forEachValue('the value', [null, 5, true, [], {}], (value) => withField({ value })),
    ...forEachValue('the label', [null, 5, `${marker}\0`, `\udc00${marker}`], (label) =>
      withField({ label }),
    ),
    ...forEachValue('the section', [null, 5, [], { id: null }, { id: 5 }, { id: 'none' }], (section) =>
      withField({ section }),
    ),
    ...forEachValue('generate', [null, 0, 'true', {}], (generate) => withField({ generate })),
    ...forEachValue('the recipe', [null, 5, [], ...invalidRecipes(marker)], (recipe) =>
      withField({ generate: true, recipe }),
    ),
    ...forEachValue('the day', invalidDates, (value) => withField({ type: 'DATE', value })),
    ...forEachValue('the month', invalidMonths, (value) => withField({ type: 'MONTH_YEAR', value })),
    'a day to be generated': withField({ type: 'DATE', generate: true }),
    ...forEachValue('the field id', [null, 5, [], {}], (id) => withField({ id })),
    ...forEachValue('65,537 bytes as', ['label', 'value', 'id'], (name) =>
      withField({ [String(name)]: 'a'.repeat(65_537) }),
    ),
  }
}

/** One bad item for each value, by what the value stands for. */
function forEachValue(
  what: string,
  values: readonly unknown[],
  item: (value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    values.map((value) => [`${what} ${JSON.stringify(value).slice(0, 60)}`, item(value)]),
  )
}

/** A URL parser throws away blanks at the ends, and tabs and line breaks anywhere. */
function invalidUrls(marker: string): readonly unknown[] {
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

function invalidRecipes(marker: string): readonly unknown[] {
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

const invalidDates = [
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
const invalidMonths = ['', '202000', '202013', '2020.12', '2020-13', '2020/1', '20/12', '2020']

const items = '/v1/vaults/{vaultId}/items'
const creation = { method: 'POST', target: items }
const replacement = { method: 'PUT', target: `${items}/{itemId}` }
const draft = { category: 'LOGIN', vault: { id: '{vaultId}' }, title: secret }

const archived: ServiceSetup = {
  async prepare({ service, caller, vaultId, item: { id: itemId } }) {
    await service.setItemState(caller, { vaultId, itemId, state: 'ARCHIVED' })
    return {}
  },
}

/** E: what is bad is in turn a new item and put in the place of one that is there. */
export const hostileItems: readonly HostileRequest[] = [
  ...Object.entries(invalidItems(secret, '{vaultId}')).map(([name, json], index) => ({
    ...(index % 2 === 0 ? creation : replacement),
    name: `an item with ${name}`,
    json,
    status: 400,
  })),
  {
    ...replacement,
    name: 'an item under another id',
    json: { ...draft, id: '{absent}' },
    status: 400,
  },
  {
    ...replacement,
    name: 'an item that refers to a field which is not there',
    json: { ...draft, fields: [{ id: 'lost' }] },
    status: 400,
    message: "The item doesn't have a lost field.",
  },
  {
    ...replacement,
    name: 'an item in the place of an archived one',
    json: draft,
    status: 400,
    setup: archived,
  },
]
