/** The attributes of items and vaults that filters compare and lists are sorted by. */

import { isDay } from '../../base/calendar.js'
import type { ItemSummary } from '../../schema/item.js'
import type { Vault } from '../../schema/vault.js'
import type { Attribute, AttributeTable, Operator } from './expression.js'

/** A kind of value: the operators that compare it, and how it is parsed. */
type ValueKind = Omit<Attribute<never>, 'read' | 'isIndexed'>

const orderOperators: readonly Operator[] = ['gt', 'ge', 'lt', 'le']

const textKind: ValueKind = {
  operators: ['eq', 'ne', 'co', 'sw', 'ew', ...orderOperators, 'pr'],
  expectedValue: 'must have a value in double quotes',
  parse: (text, isQuoted) => (isQuoted ? text : undefined),
}

const timeKind: ValueKind = {
  operators: ['eq', 'ne', ...orderOperators, 'pr'],
  expectedValue: 'must have a time in double quotes, such as 2026-01-31T08:00:00Z or 2026-01-31,',
  parse: (text, isQuoted) => (isQuoted ? parseInstant(text) : undefined),
}

const numberKind: ValueKind = {
  operators: ['eq', 'ne', ...orderOperators, 'pr'],
  expectedValue: 'must have a number',
  parse: (text, isQuoted) => (!isQuoted && /\d/.test(text) ? Number(text) : undefined),
}

const booleanKind: ValueKind = {
  operators: ['eq', 'ne', 'pr'],
  expectedValue: 'must have true or false',
  parse: (text, isQuoted) => (!isQuoted && /^[tf]/.test(text) ? text === 'true' : undefined),
}

const itemTitle: Attribute<ItemSummary> = {
  ...textKind,
  isIndexed: true,
  read: ({ title }) => (title === undefined ? [] : [title]),
}
const itemTags: Attribute<ItemSummary> = { ...textKind, read: ({ tags }) => tags }
const itemUrls: Attribute<ItemSummary> = {
  ...textKind,
  read: ({ urls }) => urls.map(({ href }) => href),
}

/**
 * The attributes of items. None of them comes from a field, a section or a file. Otherwise a caller
 * who may list items could find out a value that they may not read, one character at a time.
 */
export const itemAttributes: AttributeTable<ItemSummary> = {
  title: itemTitle,
  name: itemTitle,
  tag: itemTags,
  tags: itemTags,
  category: { ...textKind, read: ({ category }) => [category] },
  // An item without a state is active.
  state: { ...textKind, read: ({ state = 'ACTIVE' }) => [state] },
  favorite: { ...booleanKind, read: ({ favorite }) => [favorite] },
  urls: itemUrls,
  'urls.href': itemUrls,
  createdAt: { ...timeKind, read: ({ createdAt }) => [Date.parse(createdAt)] },
  updatedAt: { ...timeKind, read: ({ updatedAt }) => [Date.parse(updatedAt)] },
  lastEditedBy: { ...textKind, read: ({ lastEditedBy }) => [lastEditedBy] },
  version: { ...numberKind, read: ({ version }) => [version] },
}

const vaultName: Attribute<Vault> = { ...textKind, isIndexed: true, read: ({ name }) => [name] }
const vaultVersion: Attribute<Vault> = {
  ...numberKind,
  read: ({ attributeVersion }) => [attributeVersion],
}

/** The attributes of vaults. */
export const vaultAttributes: AttributeTable<Vault> = {
  name: vaultName,
  title: vaultName,
  description: {
    ...textKind,
    read: ({ description }) => (description === undefined ? [] : [description]),
  },
  type: { ...textKind, read: ({ type }) => [type] },
  createdAt: { ...timeKind, read: ({ createdAt }) => [Date.parse(createdAt)] },
  updatedAt: { ...timeKind, read: ({ updatedAt }) => [Date.parse(updatedAt)] },
  version: vaultVersion,
  attributeVersion: vaultVersion,
}

const instant =
  /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,12}))?(Z|[+-]\d{2}:\d{2}))?$/i

/**
 * Parses a time of RFC 3339, or a date, which means its first moment in UTC.
 * @returns The milliseconds since 1970. A time between two milliseconds becomes the middle between
 * them, so that it sorts correctly. Undefined if the string is not a time, or its day or hour does
 * not exist.
 */
export function parseInstant(text: string): number | undefined {
  const [isTime, date, time = '00:00:00', fraction = '', offset = 'Z'] = instant.exec(text) ?? []
  // `Date.parse` accepts February 30.
  if (isTime === undefined || !isDay(`${date}`)) return undefined
  const milliseconds = Date.parse(
    `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}${offset.toUpperCase()}`,
  )
  if (Number.isNaN(milliseconds)) return undefined
  return milliseconds + (/[1-9]/.test(fraction.slice(3)) ? 0.5 : 0)
}
