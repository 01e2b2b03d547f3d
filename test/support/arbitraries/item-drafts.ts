/** Arbitrary item drafts. */

import fc from 'fast-check'
import type {
  FieldDraft,
  FieldPurpose,
  FieldType,
  ItemCategory,
  NewItemDraft,
} from '../../../src/index.js'
import { fieldTypes, findFieldTypeRules } from '../../../src/schema/field.js'
import { templates } from '../../../src/testing/drafts/templates.js'
import { arbitraryHostileString } from './strings.js'

const categories = Object.keys(templates) as ItemCategory[]

/**
 * Returns drafts that every service accepts, in both dialects and also if it is strict: of any
 * category, with up to five fields, three sections, tags and URLs. The strings are those of
 * {@link arbitraryHostileString}. Some fields have no value, others generate one.
 */
export function arbitraryItemDraft(): fc.Arbitrary<Omit<NewItemDraft, 'files'>> {
  const ids = fc.uniqueArray(arbitraryId(), { maxLength: 3 })
  const text = arbitraryHostileString()
  return ids.chain((sectionIds) =>
    fc.record(
      {
        category: fc.constantFrom(...categories),
        title: text,
        favorite: fc.boolean(),
        tags: fc.array(text, { maxLength: 3 }),
        urls: arbitraryUrls(),
        sections: fc.tuple(...sectionIds.map((id) => arbitrarySection(id))),
        fields: arbitraryFields(sectionIds),
      },
      { requiredKeys: ['category', 'sections'], noNullPrototype: true },
    ),
  )
}

/** Returns ids of fields and sections: any string can be one. */
function arbitraryId(): fc.Arbitrary<string> {
  return arbitraryHostileString().filter((id) => id.length < 100)
}

function arbitrarySection(id: string) {
  const section = { id: fc.constant(id), label: arbitraryHostileString() }
  return fc.record(section, { requiredKeys: ['id'], noNullPrototype: true })
}

function arbitraryUrls() {
  const url = { href: arbitraryUrl(), label: arbitraryHostileString() }
  const urls = fc.array(fc.record(url, { requiredKeys: ['href'], noNullPrototype: true }), {
    maxLength: 3,
  })
  return fc
    .tuple(urls, fc.nat(3))
    .map(([list, primary]) =>
      list.map((each, index) => (index === primary ? { ...each, primary: true } : each)),
    )
}

/**
 * Returns absolute URLs. Unlike `fc.webUrl()`, which takes milliseconds and megabytes, it can be
 * called for every item of a property.
 */
function arbitraryUrl(): fc.Arbitrary<string> {
  const scheme = fc.constantFrom('https', 'http', 'ftp', 'ssh')
  const host = fc.constantFrom('example.com', 'localhost:8080', '192.0.2.1', '[::1]', 'xn--4ca.de')
  return fc
    .tuple(scheme, host, arbitraryHostileString())
    .map(([name, server, path]) => `${name}://${server}/${encodeURIComponent(path)}`)
}

/** At most one field has each purpose, and each section exists. */
function arbitraryFields(sectionIds: readonly string[]): fc.Arbitrary<FieldDraft[]> {
  const purposes: readonly FieldPurpose[] = ['USERNAME', 'PASSWORD', 'NOTES', '']
  const fields = fc.uniqueArray(arbitraryField(sectionIds), {
    maxLength: 5,
    selector: ({ id }) => id,
  })
  return fc.tuple(fields, fc.shuffledSubarray([...purposes])).map(([list, chosen]) =>
    list.map((field, index) => {
      const purpose = chosen[index]
      return purpose === undefined ? field : { ...field, purpose }
    }),
  )
}

function arbitraryField(sectionIds: readonly string[]): fc.Arbitrary<FieldDraft> {
  const sections = [{}, ...sectionIds.map((id) => ({ section: { id } }))]
  const label = fc.oneof(
    fc.constant({}),
    arbitraryHostileString().map((text) => ({ label: text })),
  )
  return fc
    .tuple(arbitraryId(), fc.constantFrom(...fieldTypes), label, fc.constantFrom(...sections))
    .chain(([id, type, ...rest]) =>
      arbitraryValue(type).map((value) => Object.assign({ id, type }, ...rest, value)),
    )
}

/** Returns the members of a field that determine its value. */
function arbitraryValue(type: FieldType): fc.Arbitrary<Partial<FieldDraft>> {
  const value = values[type].map((text) => ({ value: text }))
  if (findFieldTypeRules(type)?.values !== undefined) return fc.oneof(fc.constant({}), value)
  const recipe = fc.record(
    {
      characterSets: fc.shuffledSubarray(['LETTERS', 'DIGITS', 'SYMBOLS'] as const),
      excludeCharacters: fc.constantFrom('', '0', 'O0Il1', 'ab'),
      length: fc.integer({ min: 3, max: 64 }),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  const generated = fc.record({ generate: fc.constant(true), recipe }, { noNullPrototype: true })
  return fc.oneof(fc.constant({}), value, value, generated)
}

const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const anyText = arbitraryHostileString()

/** Values that a field of each type can have. */
const values: Readonly<Record<FieldType, fc.Arbitrary<string>>> = {
  STRING: anyText,
  EMAIL: anyText,
  CONCEALED: anyText,
  URL: anyText,
  TOTP: anyText,
  DATE: day,
  MONTH_YEAR: day.map((text) => text.slice(0, 7).replace('-', '')),
  MENU: anyText,
}
