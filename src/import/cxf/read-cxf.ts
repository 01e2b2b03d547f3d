/**
 * Reads the JSON document of the Credential Exchange Format 1.0 (FIDO Alliance, Proposed Standard
 * of August 14, 2025).
 */

import { InvalidInputError, type ItemCategory } from '../../index.js'
import { type Collector, createCollector } from '../collector.js'
import { type ExportFile, openExportFile } from '../export-file.js'
import { toTimes } from '../field-values.js'
import { createItemBuilder, type ItemBuilder, maxTagLength } from '../item-builder.js'
import type { ReadOptions } from '../limits.js'
import type { ImportResult } from '../result.js'
import {
  createSource,
  dropMember,
  flagOf,
  hasMember,
  ignoreMembers,
  listObjects,
  numberOf,
  objectOf,
  objectsOf,
  reportAt,
  reportUnread,
  type Source,
  textOf,
  textsOf,
} from '../source.js'
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
 * Reads the JSON document of the Credential Exchange Format. Its root is a header with accounts or,
 * on some platforms, a single account. Collections become tags, and so do accounts if there is more
 * than one.
 * [The page on imports](https://github.com/cofferkit/cofferkit/blob/main/docs/importing.md) lists
 * where each attribute is stored, and which ones are lost.
 * @param bytes The complete file. It is not changed.
 * @throws InvalidInputError if it is not such a document, has a major version other than 1, or
 * exceeds a limit. No message contains a part of it.
 * @throws TypeError if `bytes` is not a `Uint8Array`, or `options` is not an object.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function readCxf(bytes: Uint8Array, options: ReadOptions = {}): ImportResult {
  return readCxfFile(openExportFile(bytes, options))
}

/** Reads such a document as `readCxf` does. */
export function readCxfFile(file: ExportFile): ImportResult {
  const collector = createCollector('cxf', file.limits)
  const root = createSource(file.json(), '', collector.report)
  const accounts = readHeader(root)
  for (const account of accounts) readAccount(account, accounts.length > 1, collector)
  reportUnread(root)
  return collector.toResult()
}

/** Returns the accounts. @throws InvalidInputError if the document has another form or version. */
function readHeader(root: Source): readonly Source[] {
  ignoreMembers(root, 'exporterRpId', 'exporterDisplayName', 'timestamp')
  if (!hasMember(root, 'accounts')) {
    const isAccount =
      hasMember(root, 'items') &&
      ['username', 'email', 'collections', 'id'].some((name) => hasMember(root, name))
    if (!isAccount || hasMember(root, 'encrypted'))
      throw InvalidInputError.at('', 'the JSON is not in the Credential Exchange Format')
    return [root]
  }
  const version = objectOf(root, 'version')
  ignoreMembers(version, 'minor')
  if (hasMember(root, 'version') && numberOf(version, 'major') !== 1)
    throw InvalidInputError.at('version', 'must be 1 of the Credential Exchange Format')
  return listObjects(root, 'accounts')
}

function readAccount(account: Source, isTagged: boolean, collector: Collector): void {
  ignoreMembers(account, 'id')
  const name = textOf(account, 'username') || textOf(account, 'email')
  ignoreMembers(account, 'username', 'email')
  dropMember(account, 'fullName', 'attribute', 'the name of the owner of an account is left out')
  const items = listObjects(account, 'items')
  const tags = readCollections(account, new Set(items.map((item) => textOf(item, 'id'))))
  for (const item of items) {
    const id = textOf(item, 'id')
    readItem(item, [...(isTagged ? [name] : []), ...(tags.get(id) ?? [])], collector)
    // Other items with the same id would multiply the tags.
    tags.delete(id)
  }
}

function readItem(source: Source, tags: readonly string[], collector: Collector): void {
  const sourceId = collector.claimId(textOf(source, 'id'))
  const report = collector.reportFor(sourceId)
  source.report = report
  const title = textOf(source, 'title')
  const builder = createItemBuilder(sourceId, report, title)
  for (const tag of [...tags, ...textsOf(source, 'tags')])
    builder.addTag(tag, `${source.path}/tags`)
  addScope(objectOf(source, 'scope'), builder)
  const types = new Set<string>()
  for (const credential of objectsOf(source, 'credentials')) {
    types.add(textOf(credential, 'type'))
    addCredential(credential, builder)
  }
  const subtitle = { id: 'subtitle', label: 'subtitle', value: textOf(source, 'subtitle') }
  builder.addField({ path: `${source.path}/subtitle`, ...subtitle })
  const timeOf = (name: string) => {
    const seconds = numberOf(source, name)
    return { path: `${source.path}/${name}`, time: seconds && seconds * 1000 }
  }
  const times = { createdAt: timeOf('creationAt'), updatedAt: timeOf('modifiedAt') }
  collector.addItem(
    {
      sourceId,
      item: builder.build({
        category: categoryOf(types),
        title,
        favorite: flagOf(source, 'favorite'),
      }),
      ...toTimes(times, report),
    },
    [],
  )
  reportUnread(source)
}

/** Adds the websites and apps in which an item is offered. */
function addScope(scope: Source, builder: ItemBuilder): void {
  for (const [index, url] of textsOf(scope, 'urls').entries())
    builder.addUrl(url, '', `${scope.path}/urls/${index}`)
  for (const app of objectsOf(scope, 'androidApps')) {
    const id = textOf(app, 'bundleId')
    if (id !== '') builder.addUrl(`androidapp://${id}`, textOf(app, 'name'), `${app.path}/bundleId`)
    dropMember(app, 'certificate', 'attribute', 'the certificate of an app has no counterpart')
  }
}

function categoryOf(types: ReadonlySet<string>): ItemCategory {
  if (types.has('basic-auth')) return 'LOGIN'
  for (const [type, { category }] of credentialKinds) if (types.has(type)) return category
  return otherCategories.find(([type]) => types.has(type))?.[1] ?? 'CUSTOM'
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
  const accountId = textOf(account, 'id')
  const read = (collection: Source, parent: string): void => {
    ignoreMembers(collection, 'id', 'creationAt', 'modifiedAt')
    dropMember(collection, 'subtitle', 'attribute', 'the description of a collection is left out')
    const title = textOf(collection, 'title')
    // Otherwise a long title would be repeated for every collection below it.
    const isLong = parent !== '' && parent.length + title.length > maxTagLength
    if (isLong)
      reportAt(
        collection,
        'title',
        'converted',
        'the collections above are left out, because the tag would be too long',
      )
    const tag = isLong ? title : parent + title
    for (const link of objectsOf(collection, 'items')) {
      const owner = textOf(link, 'account')
      const item = textOf(link, 'item')
      if (owner !== '' && owner !== accountId)
        reportAt(link, '', 'attribute', 'the item belongs to another account')
      else if (!itemIds.has(item))
        reportAt(link, 'item', 'attribute', 'the item of the collection is not in the export')
      else if (tags.has(item)) tags.get(item)?.push(tag)
      else tags.set(item, [tag])
    }
    // No deeper than the levels of the JSON, which are limited.
    for (const nested of objectsOf(collection, 'subCollections')) read(nested, `${tag}/`)
  }
  for (const collection of objectsOf(account, 'collections')) read(collection, '')
  return tags
}
