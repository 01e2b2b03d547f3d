/** Inputs that are refused, with a marker in every value that a client invents. Field ids and paths are names, not values. */

import type { ItemDraft, PatchOperation } from '../../src/index.js'

type Members = Record<string, unknown>

/** An item whose every value is the marker. */
export function markedDraft(
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
export function badItems(marker: string, vaultId: string): Record<string, unknown> {
  const draft = markedDraft(marker, vaultId)
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
    'a title that is too long': { ...draft, title: marker.repeat(5000) },
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
      urls: [1, 2].map((each) => ({ href: `https://${marker}/${each}`, primary: true })),
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
  }
}

/** Patches that no item takes, by what is wrong with them. */
export function badPatches(marker: string, vaultId: string): Record<string, unknown> {
  const add = (path: string, value: unknown): PatchOperation => ({ op: 'add', path, value })
  const good = add('/title', marker)
  const nested = JSON.parse(`${'['.repeat(40)}"${marker}"${']'.repeat(40)}`)
  // What an item says of its vault is ignored in a patch: the vault keeps it.
  const items = Object.entries(badItems(marker, vaultId)).filter(([what]) => !/ vault$/.test(what))
  return {
    'no list': { [marker]: marker },
    'a text': marker,
    'a list of texts': [marker],
    'an unknown operation': [good, { op: marker, path: '/title', value: marker }],
    'no path': [good, { op: 'add', value: marker, [marker]: marker }],
    'a path of members': [good, { op: 'add', path: { [marker]: marker }, value: marker }],
    'no value': [good, { op: 'add', path: '/title', [marker]: marker, from: marker }],
    'a place that is not there': [good, { op: 'replace', path: '/tags/9', value: marker }],
    'a field that is not there': [
      good,
      { op: 'replace', path: '/fields/none/value', value: marker },
    ],
    'what the vault keeps': [good, add('/version', marker)],
    'a prototype': [good, add('/__proto__/x', marker)],
    'too many operations': Array(257).fill(good),
    'a value that is too deep': [good, add('/tags', nested)],
    'a text for the item': [good, add('', marker)],
    'a text for a field': [good, add('/fields/-', marker)],
    'an unknown category': [good, add('/category', marker)],
    'an unknown type': [good, add('/fields/-', { id: 'x', type: marker, [marker]: marker })],
    'an unknown purpose': [good, add('/fields/password/purpose', marker)],
    'through a text': [
      good,
      add('/fields/password/value', { [marker]: marker }),
      add('/tags/0', [marker]),
    ],
    ...Object.fromEntries(items.map(([what, item]) => [`an item with ${what}`, [add('', item)]])),
  }
}
