/** Hostile items: invalid drafts with a canary in every value that a client can choose. */

import type { ItemDraft } from '../../index.js'
import { type HostileRequest, type ServiceSetup, canary as secret } from './hostile-case.js'
import { invalidDates, invalidMonths, invalidRecipes, invalidUrls } from './invalid-values.js'

type Members = Record<string, unknown>

/** Creates a valid draft with `marker` in every value and in unknown members. */
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

/** Creates invalid items, keyed by a noun phrase for the defect, with `marker` in their values. */
export function invalidItems(marker: string, vaultId: string): Record<string, unknown> {
  const draft = canaryDraft(marker, vaultId)
  const withField = (members: Members): unknown => ({
    ...draft,
    fields: [...draft.fields, { id: 'bad', label: marker, ...members }],
  })
  return {
    'a string in its place': marker,
    'a list in its place': [marker, draft],
    'no category': { ...draft, category: undefined },
    'an unknown category': { ...draft, category: marker },
    'no vault': { ...draft, vault: marker },
    'another vault': { ...draft, vault: { id: marker } },
    'an object as title': { ...draft, title: { [marker]: marker } },
    'a title with U+0000': { ...draft, title: `${marker}\0` },
    'a title with a lone surrogate': { ...draft, title: `${marker}\ud800` },
    'a title over the limit': { ...draft, title: marker.padEnd(65_537) },
    'a string as favorite': { ...draft, favorite: marker },
    'a string as tags': { ...draft, tags: marker },
    'an object as tag': { ...draft, tags: [{ [marker]: marker }] },
    'too many tags': { ...draft, tags: Array(101).fill(marker) },
    'too many fields': { ...draft, fields: Array(1001).fill({ id: 'a', value: marker }) },
    'an invalid URL': { ...draft, urls: [{ href: marker }] },
    'a URL without href': { ...draft, urls: [{ [marker]: marker }] },
    'a javascript: URL': { ...draft, urls: [{ href: `javascript:${marker}` }] },
    'a data: URL': { ...draft, urls: [{ href: `data:,${marker}` }] },
    'two primary URLs': {
      ...draft,
      urls: [1, 2].map((forEachValue) => ({
        href: `https://${marker}/${forEachValue}`,
        primary: true,
      })),
    },
    'duplicate section ids': {
      ...draft,
      sections: [{ id: marker }, { id: marker, label: marker }],
    },
    'a list as section label': { ...draft, sections: [{ id: marker, label: [marker] }] },
    'a string as fields': { ...draft, fields: marker },
    'a string as field': { ...draft, fields: [marker] },
    'a field without id': { ...draft, fields: [{ [marker]: marker, value: marker }] },
    'duplicate field ids': { ...draft, fields: [1, 2].map(() => ({ id: 'a', value: marker })) },
    'two passwords': withField({ purpose: 'PASSWORD', value: marker }),
    'an unknown type': withField({ type: marker }),
    'an unknown purpose': withField({ purpose: marker }),
    'an object as value': withField({ value: { [marker]: marker } }),
    'a value with U+0000': withField({ value: `${marker}\0` }),
    'an invalid date': withField({ type: 'DATE', value: marker }),
    'an invalid month': withField({ type: 'MONTH_YEAR', value: marker }),
    'an unknown section': withField({ value: marker, section: { id: `${marker}!` } }),
    'a string as section': withField({ section: marker }),
    'a string as generate': withField({ generate: marker }),
    'a string as recipe': withField({ generate: true, recipe: marker }),
    'an unknown character set': withField({ generate: true, recipe: { characterSets: [marker] } }),
    'a string as length': withField({ generate: true, recipe: { length: marker } }),
    'a recipe without characters': withField({
      generate: true,
      recipe: { characterSets: ['DIGITS'], excludeCharacters: `0123456789${marker}` },
    }),
    ...forEachValue('the category', ['', 'login', 'LOGIN ', null, 5, ['LOGIN']], (category) => ({
      ...draft,
      category,
    })),
    ...forEachValue(
      'the vault',
      [null, {}, [], { id: null }, { id: vaultId.toUpperCase() }],
      (vault) => ({
        ...draft,
        vault,
      }),
    ),
    ...forEachValue('the version', [null, '1', 1.5, marker], (version) => ({ ...draft, version })),
    ...forEachValue('the creation time', [null, 5, '', marker], (createdAt) => ({
      ...draft,
      createdAt,
    })),
    ...forEachValue('the files', [null, marker, [marker]], (files) => ({ ...draft, files })),
    ...forEachValue('the title', [null, 5, true, [marker]], (title) => ({ ...draft, title })),
    ...forEachValue('the favorite', [null, 0, 'true', [], {}], (favorite) => ({
      ...draft,
      favorite,
    })),
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
    ...forEachValue('the URL', invalidUrls(marker), (href) => ({ ...draft, urls: [{ href }] })),
    'too many sections': {
      ...draft,
      sections: Array.from({ length: 101 }, (_, id) => ({ id: `${id}` })),
    },
    'too many URLs': { ...draft, urls: Array(101).fill({ href: 'https://a.example' }) },
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
    ...forEachValue(
      'the section',
      [null, 5, [], { id: null }, { id: 5 }, { id: 'none' }],
      (section) => withField({ section }),
    ),
    ...forEachValue('generate', [null, 0, 'true', {}], (generate) => withField({ generate })),
    ...forEachValue('the recipe', [null, 5, [], ...invalidRecipes(marker)], (recipe) =>
      withField({ generate: true, recipe }),
    ),
    ...forEachValue('the date', invalidDates, (value) => withField({ type: 'DATE', value })),
    ...forEachValue('the month', invalidMonths, (value) =>
      withField({ type: 'MONTH_YEAR', value }),
    ),
    'a date to generate': withField({ type: 'DATE', generate: true }),
    ...forEachValue('the field id', [null, 5, [], {}], (id) => withField({ id })),
    ...forEachValue('65,537 bytes as', ['label', 'value', 'id'], (name) =>
      withField({ [String(name)]: 'a'.repeat(65_537) }),
    ),
  }
}

/** Creates one invalid item per value, keyed by the name of the member and the value. */
function forEachValue(
  what: string,
  values: readonly unknown[],
  item: (value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    values.map((value) => [`${what} ${JSON.stringify(value).slice(0, 60)}`, item(value)]),
  )
}

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

/** Requests with an invalid item. They alternate between creating and replacing an item. */
export const hostileItems: readonly HostileRequest[] = [
  ...Object.entries(invalidItems(secret, '{vaultId}')).map(([name, json], index) => ({
    ...(index % 2 === 0 ? creation : replacement),
    name: `an item with ${name}`,
    json,
    status: 400,
  })),
  {
    ...replacement,
    name: 'an item with another id than the path',
    json: { ...draft, id: '{absent}' },
    status: 400,
  },
  {
    ...replacement,
    name: 'an item that references a missing field',
    json: { ...draft, fields: [{ id: 'lost' }] },
    status: 400,
    message: "The item doesn't have a lost field.",
  },
  {
    ...replacement,
    name: 'an item that replaces an archived one',
    json: draft,
    status: 400,
    setup: archived,
  },
]
