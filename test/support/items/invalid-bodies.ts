/**
 * Invalid items and patches with a marker in every value that a client can choose, for tests that
 * search errors, responses, logs and events for it. Each has one defect that quotes the marker.
 */

import type { ItemDraft, PatchOperation } from '../../../src/index.js'

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
  const withField = (members: Record<string, unknown>): unknown => ({
    ...draft,
    fields: [...draft.fields, { id: 'bad', label: marker, ...members }],
  })
  return {
    'a string in its place': marker,
    'a list in its place': [marker, draft],
    'no category': { ...draft, category: undefined },
    'an unknown category': { ...draft, category: marker },
    'a list as category': { ...draft, category: [marker] },
    'no vault': { ...draft, vault: marker },
    'another vault': { ...draft, vault: { id: marker } },
    'a string as version': { ...draft, version: marker },
    'an invalid time': { ...draft, createdAt: marker },
    'a string as files': { ...draft, files: marker },
    'a string as file': { ...draft, files: [marker] },
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
      urls: [1, 2].map((index) => ({ href: `https://${marker}/${index}`, primary: true })),
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
    'a label with a lone surrogate': withField({ label: `\udc00${marker}` }),
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
    'excluded characters with U+0000': withField({
      generate: true,
      recipe: { excludeCharacters: `${marker}\0` },
    }),
  }
}

/** Creates invalid patches, by a noun phrase for the defect, with `marker` in their values. */
export function invalidPatches(marker: string, vaultId: string): Record<string, unknown> {
  const add = (path: string, value: unknown): PatchOperation => ({ op: 'add', path, value })
  const good = add('/title', marker)
  const nested = JSON.parse(`${'['.repeat(40)}"${marker}"${']'.repeat(40)}`)
  // The vault of an item is ignored in a patch.
  const items = Object.entries(invalidItems(marker, vaultId)).filter(
    ([what]) => !/ vault\b/.test(what),
  )
  return {
    'an object in its place': { [marker]: marker },
    'a string in its place': marker,
    'a list of strings': [marker],
    'an unknown operation': [good, { op: marker, path: '/title', value: marker }],
    'no path': [good, { op: 'add', value: marker, [marker]: marker }],
    'an object as path': [good, { op: 'add', path: { [marker]: marker }, value: marker }],
    'no value': [good, { op: 'add', path: '/title', [marker]: marker, from: marker }],
    'a missing path': [good, { op: 'replace', path: '/tags/9', value: marker }],
    'a missing field': [good, { op: 'replace', path: '/fields/none/value', value: marker }],
    'a read-only attribute': [good, add('/version', marker)],
    'a prototype': [good, add('/__proto__/x', marker)],
    'too many operations': Array(257).fill(good),
    'a value that is too deep': [good, add('/tags', nested)],
    'a string as item': [good, add('', marker)],
    'a string as field': [good, add('/fields/-', marker)],
    'an unknown category': [good, add('/category', marker)],
    'an unknown type': [good, add('/fields/-', { id: 'x', type: marker, [marker]: marker })],
    'an unknown purpose': [good, add('/fields/password/purpose', marker)],
    'a path through a string': [
      good,
      add('/fields/password/value', { [marker]: marker }),
      add('/tags/0', [marker]),
    ],
    ...Object.fromEntries(items.map(([what, item]) => [`an item with ${what}`, [add('', item)]])),
  }
}
