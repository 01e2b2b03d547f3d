/** The attributes of items and vaults that filters compare and lists are sorted by. */

import type { ItemSummary } from '../schema/item.js'
import type { Vault } from '../schema/vault.js'

/** A value of an attribute. A time is in milliseconds since 1970. */
export type AttributeValue = string | number | boolean

/** An attribute of an item or a vault. */
export interface Attribute<Result> {
  readonly type: 'text' | 'time' | 'number' | 'boolean'
  /** Set if the values of the attribute are the index keys of the records. */
  readonly isIndexed?: true
  /** Returns the values of the attribute; none if it is absent. */
  read(result: Result): readonly AttributeValue[]
}

/** Attributes by their names. */
export type AttributeTable<Result> = ReadonlyMap<string, Attribute<Result>>

/** Returns the attribute of this name in any case; undefined if there is no such attribute. */
export function findAttribute<Result>(
  attributes: AttributeTable<Result>,
  name: string,
): Attribute<Result> | undefined {
  const lowerCaseName = name.toLowerCase()
  for (const [known, attribute] of attributes)
    if (known.toLowerCase() === lowerCaseName) return attribute
  return undefined
}

/** The attributes of items. An active item has the state `ACTIVE`. */
export const itemAttributes = /* @__PURE__ */ createItemAttributes()

/** The attributes of vaults. */
export const vaultAttributes = /* @__PURE__ */ createVaultAttributes()

function createItemAttributes(): AttributeTable<ItemSummary> {
  const title = indexedText<ItemSummary>((item) => item.title)
  const tags: Attribute<ItemSummary> = { type: 'text', read: (item) => item.tags }
  const urls: Attribute<ItemSummary> = {
    type: 'text',
    read: (item) => item.urls.map(({ href }) => href),
  }
  return new Map([
    ['title', title],
    ['name', title],
    ['tag', tags],
    ['tags', tags],
    ['category', text<ItemSummary>((item) => item.category)],
    ['state', text<ItemSummary>((item) => item.state ?? 'ACTIVE')],
    ['favorite', { type: 'boolean', read: (item) => [item.favorite] }],
    ['urls', urls],
    ['urls.href', urls],
    ['createdAt', time<ItemSummary>((item) => item.createdAt)],
    ['updatedAt', time<ItemSummary>((item) => item.updatedAt)],
    ['lastEditedBy', text<ItemSummary>((item) => item.lastEditedBy)],
    ['version', { type: 'number', read: (item) => [item.version] }],
  ])
}

function createVaultAttributes(): AttributeTable<Vault> {
  const name = indexedText<Vault>((vault) => vault.name)
  const version: Attribute<Vault> = { type: 'number', read: (vault) => [vault.attributeVersion] }
  return new Map([
    ['name', name],
    ['title', name],
    ['description', text<Vault>((vault) => vault.description)],
    ['type', text<Vault>((vault) => vault.type)],
    ['createdAt', time<Vault>((vault) => vault.createdAt)],
    ['updatedAt', time<Vault>((vault) => vault.updatedAt)],
    ['version', version],
    ['attributeVersion', version],
  ])
}

function text<Result>(read: (result: Result) => string | undefined): Attribute<Result> {
  return {
    type: 'text',
    read(result) {
      const value = read(result)
      return value === undefined ? [] : [value]
    },
  }
}

function indexedText<Result>(read: (result: Result) => string | undefined): Attribute<Result> {
  return { ...text(read), isIndexed: true }
}

function time<Result>(read: (result: Result) => string): Attribute<Result> {
  return { type: 'time', read: (result) => [Date.parse(read(result))] }
}
