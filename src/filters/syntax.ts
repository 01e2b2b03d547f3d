/** The attributes and operators of items and vaults that filters compare and lists are sorted by. */

import type { Fold } from '../base/fold-case.js'
import type { Attribute, AttributeValue, Operator } from '../core/filter/expression.js'
import {
  type FilterMessages,
  type FilterSyntax,
  joinNames,
} from '../core/filter/parse-expression.js'
import type { ItemSummary } from '../schema/item.js'
import type { Vault } from '../schema/vault.js'

/** A kind of values: how they are compared, and how they are parsed. */
type ValueKind = Omit<Attribute<never>, 'read' | 'isIndexed'>

const orderOperators: readonly Operator[] = ['gt', 'ge', 'lt', 'le']

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

/** A comparison of any attribute can follow the quote. It looks no further than the next quote. */
const closingQuote =
  /"(?=[\s)]*(?:$|(?:and|or)(?=[\s(])[\s(]*(?:not\s*\([\s(]*)*[\w.]+\s+(?:pr(?![\w.])|(?:eq|ne|co|sw|ew|gt|ge|lt|le)\s*(?:"|true|false|null|-?\d))))\s*/iy

const messages: FilterMessages = {
  namesPosition: true,
  attribute: (names) => `must compare one of the attributes ${names.join(', ')}`,
  operator: (names) => `must have one of the operators ${joinNames(names)}`,
  closingQuote: 'must close the quotes of the value',
  closingParenthesis: 'must have a closing parenthesis',
  continuation: 'must continue with and, or with or,',
  character: 'has an invalid character',
}

const syntax = { hasNot: true, closingQuote, messages }

/** Returns the syntax of filters of items. An item without a state has the state `ACTIVE`. */
export function createItemSyntax(fold: Fold): FilterSyntax<ItemSummary> {
  const text = createTextAttribute<ItemSummary>(fold)
  const title = { ...text(({ title }) => title), isIndexed: true } as const
  const tags = text((item) => item.tags)
  const urls = text((item) => item.urls.map(({ href }) => href))
  const attributes = new Map<string, Attribute<ItemSummary>>([
    ['title', title],
    ['name', title],
    ['tag', tags],
    ['tags', tags],
    ['category', text((item) => item.category)],
    ['state', text((item) => item.state ?? 'ACTIVE')],
    ['favorite', { ...booleanKind, read: (item) => [item.favorite] }],
    ['urls', urls],
    ['urls.href', urls],
    ['createdAt', { ...timeKind, read: (item) => [Date.parse(item.createdAt)] }],
    ['updatedAt', { ...timeKind, read: (item) => [Date.parse(item.updatedAt)] }],
    ['lastEditedBy', text((item) => item.lastEditedBy)],
    ['version', { ...numberKind, read: (item) => [item.version] }],
  ])
  return { ...syntax, attributes }
}

/** Returns the syntax of filters of vaults. */
export function createVaultSyntax(fold: Fold): FilterSyntax<Vault> {
  const text = createTextAttribute<Vault>(fold)
  const name = { ...text((vault) => vault.name), isIndexed: true } as const
  const version: Attribute<Vault> = { ...numberKind, read: (vault) => [vault.attributeVersion] }
  const attributes = new Map<string, Attribute<Vault>>([
    ['name', name],
    ['title', name],
    ['description', text((vault) => vault.description)],
    ['type', text((vault) => vault.type)],
    ['createdAt', { ...timeKind, read: (vault) => [Date.parse(vault.createdAt)] }],
    ['updatedAt', { ...timeKind, read: (vault) => [Date.parse(vault.updatedAt)] }],
    ['version', version],
    ['attributeVersion', version],
  ])
  return { ...syntax, attributes }
}

/** Returns a function that creates an attribute whose values are texts. */
function createTextAttribute<Result>(fold: Fold) {
  const kind: ValueKind = {
    operators: ['eq', 'ne', 'co', 'sw', 'ew', ...orderOperators, 'pr'],
    expectedValue: 'must have a value in double quotes',
    parse: (text, isQuoted) => (isQuoted ? fold(text) : undefined),
  }
  return (read: (result: Result) => string | readonly string[] | undefined): Attribute<Result> => ({
    ...kind,
    read: (result): readonly AttributeValue[] => [read(result) ?? []].flat().map(fold),
  })
}

const instant =
  /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,12}))?(Z|[+-]\d{2}:\d{2}))?$/i

/**
 * Parses a time of RFC 3339, or a date, which is its first moment in UTC.
 * @returns The milliseconds since 1970. A time between two milliseconds is half way between them,
 * so that it is ordered correctly among times with whole milliseconds. Undefined if the text is not
 * a time, or is of a day or an hour that does not exist.
 */
export function parseInstant(text: string): number | undefined {
  const [isTime, date, time = '00:00:00', fraction = '', offset = 'Z'] = instant.exec(text) ?? []
  if (isTime === undefined || !isDay(`${date}`)) return undefined
  const milliseconds = Date.parse(
    `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}${offset.toUpperCase()}`,
  )
  if (Number.isNaN(milliseconds)) return undefined
  return milliseconds + (/[1-9]/.test(fraction.slice(3)) ? 0.5 : 0)
}

/** Returns true if the date exists. `Date.parse` accepts February 30. */
function isDay(date: string): boolean {
  const start = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(date)
}
