/**
 * Reads the JSON document of the Credential Exchange Format 1.0 (FIDO Alliance, Proposed Standard
 * of August 14, 2025).
 */

import { InvalidInputError } from '../../errors.js'
import type { ItemCategory } from '../../schema/item.js'
import { type Collector, createCollector } from '../collector.js'
import { toTimes } from '../field-values.js'
import { createItemBuilder, type ItemBuilder } from '../item-builder.js'
import { type ReadOptions, resolveArguments } from '../limits.js'
import { parseJson } from '../parse-json.js'
import type { ImportResult } from '../result.js'
import { createSource, type Source } from '../source.js'
import { addCredential } from './add-credential.js'
import { credentialKinds } from './members.js'

/** The categories of items without a credential of `credentialKinds`, in order of precedence. */
const otherCategories: readonly (readonly [type: string, category: ItemCategory])[] = [
  ['generated-password', 'PASSWORD'],
  ['passkey', 'LOGIN'],
  ['totp', 'LOGIN'],
  ['note', 'SECURE_NOTE'],
  ['file', 'DOCUMENT'],
]

/**
 * Reads the JSON document of the Credential Exchange Format: a header, or a single account as some
 * platforms pass it. Collections become tags, and so do accounts if there is more than one.
 * [The page on imports](https://github.com/cofferkit/cofferkit/blob/main/docs/importing.md) lists
 * where each attribute is stored, and which ones are lost.
 * @param bytes The whole file. It is not changed.
 * @throws InvalidInputError if it is not such a document, has another major version than 1, or
 * exceeds a limit. No message contains a part of it.
 * @throws TypeError if `bytes` is not a `Uint8Array`, or `options` not an object.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function readCxf(bytes: Uint8Array, options: ReadOptions = {}): ImportResult {
  const limits = resolveArguments(bytes, options)
  const collector = createCollector('cxf', limits)
  const root = createSource(parseJson(bytes, limits), '', collector.report)
  const accounts = readHeader(root)
  for (const account of accounts) readAccount(account, accounts.length > 1, collector)
  root.reportUnread()
  return collector.toResult()
}

/** Returns the accounts. @throws InvalidInputError if the document has another form or version. */
function readHeader(root: Source): readonly Source[] {
  root.ignore('exporterRpId', 'exporterDisplayName', 'timestamp')
  if (!root.has('accounts')) {
    const isAccount =
      root.has('items') && ['username', 'email', 'collections', 'id'].some((name) => root.has(name))
    if (!isAccount || root.has('encrypted'))
      throw InvalidInputError.at('', 'the JSON is not in the Credential Exchange Format')
    return [root]
  }
  const version = root.object('version')
  version.ignore('minor')
  if (root.has('version') && version.number('major') !== 1)
    throw InvalidInputError.at('version', 'must be 1 of the Credential Exchange Format')
  return root.objects('accounts')
}

function readAccount(account: Source, isTagged: boolean, collector: Collector): void {
  account.ignore('id')
  const name = account.text('username') || account.text('email')
  account.ignore('username', 'email')
  account.drop('fullName', 'attribute', 'the name of the owner of an account is left out')
  const items = account.objects('items')
  const tags = readCollections(account, new Set(items.map((item) => item.text('id'))))
  for (const item of items) {
    const id = item.text('id')
    readItem(item, [...(isTagged ? [name] : []), ...(tags.get(id) ?? [])], collector)
    // Other items with the same id would multiply the tags.
    tags.delete(id)
  }
}

function readItem(source: Source, tags: readonly string[], collector: Collector): void {
  const sourceId = collector.claimId(source.text('id'))
  const report = collector.reportFor(sourceId)
  source.reportTo(report)
  const title = source.text('title')
  const builder = createItemBuilder(sourceId, report, title)
  for (const tag of [...tags, ...source.texts('tags')]) builder.addTag(tag)
  addScope(source.object('scope'), builder)
  const credentials = source.objects('credentials')
  const types = credentials.map((credential) => credential.text('type'))
  for (const credential of credentials) addCredential(credential, builder)
  const subtitle = { id: 'subtitle', label: 'subtitle', value: source.text('subtitle') }
  builder.addField({ path: `${source.path}/subtitle`, ...subtitle })
  const timeOf = (name: string) => {
    const seconds = source.number(name)
    return { path: `${source.path}/${name}`, time: seconds && seconds * 1000 }
  }
  const times = { createdAt: timeOf('creationAt'), updatedAt: timeOf('modifiedAt') }
  collector.addItem(
    {
      sourceId,
      item: builder.build({
        category: categoryOf(types),
        title,
        favorite: source.flag('favorite'),
      }),
      ...toTimes(times, report),
    },
    [],
  )
}

/** Adds the websites and apps in which an item is offered. */
function addScope(scope: Source, builder: ItemBuilder): void {
  for (const [index, url] of scope.texts('urls').entries())
    builder.addUrl(url, '', `${scope.path}/urls/${index}`)
  for (const app of scope.objects('androidApps')) {
    const id = app.text('bundleId')
    if (id !== '') builder.addUrl(`androidapp://${id}`, app.text('name'), `${app.path}/bundleId`)
    app.drop('certificate', 'attribute', 'the certificate of an app has no counterpart')
  }
}

function categoryOf(types: readonly string[]): ItemCategory {
  if (types.includes('basic-auth')) return 'LOGIN'
  for (const [type, { category }] of credentialKinds) if (types.includes(type)) return category
  return otherCategories.find(([type]) => types.includes(type))?.[1] ?? 'CUSTOM'
}

/**
 * Returns the tags of each item by its id: the titles of the collections that contain it, below
 * those that contain them, such as `Work/Servers`. A link to an item of another account,
 * or that is not among `itemIds`, is reported.
 */
function readCollections(
  account: Source,
  itemIds: ReadonlySet<string>,
): Map<string, readonly string[]> {
  const tags = new Map<string, string[]>()
  const accountId = account.text('id')
  const read = (collection: Source, parent: string): void => {
    collection.ignore('id', 'creationAt', 'modifiedAt')
    collection.drop('subtitle', 'attribute', 'the description of a collection is left out')
    const tag = parent + collection.text('title')
    for (const link of collection.objects('items')) {
      const owner = link.text('account')
      const item = link.text('item')
      if (owner !== '' && owner !== accountId)
        link.report('', 'attribute', 'the item belongs to another account')
      else if (!itemIds.has(item))
        link.report('item', 'attribute', 'the item of the collection is not in the export')
      else if (tags.has(item)) tags.get(item)?.push(tag)
      else tags.set(item, [tag])
    }
    // No deeper than the levels of the JSON, which are limited.
    for (const nested of collection.objects('subCollections')) read(nested, `${tag}/`)
  }
  for (const collection of account.objects('collections')) read(collection, '')
  return tags
}
