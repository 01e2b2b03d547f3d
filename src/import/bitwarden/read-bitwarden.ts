/** Reads the unencrypted export of Bitwarden: a JSON file, or an archive of it with attachments. */

import type { FieldType } from '../../index.js'
import { type Collector, createCollector } from '../collector.js'
import { toTimes } from '../field-values.js'
import { createItemBuilder, type ItemBuilder } from '../item-builder.js'
import type { ReadLimits } from '../limits.js'
import type { RecognizedExport } from '../recognize-export.js'
import type { ImportResult } from '../result.js'
import {
  createSource,
  dropMember,
  flagOf,
  hasMember,
  ignoreMembers,
  numberOf,
  objectOf,
  objectsOf,
  reportAt,
  reportUnread,
  type Source,
  skipSource,
  textOf,
  textsOf,
} from '../source.js'
import { type Attachments, createAttachments } from '../zip/attachments.js'
import { type ItemKind, itemKinds, type Member } from './members.js'

/** Attributes of items that describe the account of the exporter, not the item. */
const ofAccount = [
  ...['object', 'edit', 'viewPassword', 'permissions', 'organizationUseTotp', 'key'],
]

/** The names of folders and collections by their ids. */
type Groups = ReadonlyMap<string, string>

/**
 * Reads the unencrypted export of Bitwarden, of a person or an organization. Folders and
 * collections become tags.
 * @throws InvalidInputError if it exceeds a limit. No message contains a part of it.
 */
export function readBitwarden(
  { data, archive }: Extract<RecognizedExport, { format: 'bitwarden' }>,
  limits: ReadLimits,
): ImportResult {
  const collector = createCollector('bitwarden', limits)
  const root = createSource(data, '', collector.report)
  ignoreMembers(root, 'encrypted', 'passwordProtected')
  const attachments =
    archive && createAttachments(archive, limits, { folder: 'attachments/', separator: '/' })
  const groups = readGroups(root)
  const used = new Set<string>()
  for (const item of objectsOf(root, 'items')) readItem(item, groups, used, collector, attachments)
  for (const id of groups.keys())
    if (!used.has(id)) collector.report('folders', 'attribute', 'a folder has no items')
  attachments?.reportUnused(collector.report)
  reportUnread(root)
  return collector.toResult()
}

function readGroups(root: Source): Groups {
  const groups = new Map<string, string>()
  for (const name of ['folders', 'collections'])
    for (const group of objectsOf(root, name)) {
      ignoreMembers(group, 'organizationId', 'externalId', 'object')
      groups.set(textOf(group, 'id'), textOf(group, 'name'))
    }
  return groups
}

function readItem(
  source: Source,
  groups: Groups,
  usedGroups: Set<string>,
  collector: Collector,
  attachments: Attachments | undefined,
): void {
  const id = textOf(source, 'id')
  const sourceId = collector.claimId(id)
  const report = collector.reportFor(sourceId)
  source.report = report
  if (textOf(source, 'deletedDate') !== '') {
    skipSource(source, 'item', 'the item is in the trash')
    return
  }
  const kind = itemKinds.get(numberOf(source, 'type') ?? 0)
  if (kind === undefined) {
    skipSource(source, 'item', 'the type of the item is unknown')
    return
  }
  const title = textOf(source, 'name')
  const builder = createItemBuilder(sourceId, report, title)
  if (hasMember(source, kind.name)) addContent(objectOf(source, kind.name), kind, builder)
  builder.addNotes(textOf(source, 'notes'), `${source.path}/notes`)
  addCustomFields(source, builder)
  for (const group of [textOf(source, 'folderId'), ...textsOf(source, 'collectionIds')])
    addGroup(group, groups, usedGroups, source, builder)
  addAttachments(id, source, builder, attachments)
  const timeOf = (name: string) => ({ path: `${source.path}/${name}`, time: textOf(source, name) })
  const times = { createdAt: timeOf('creationDate'), updatedAt: timeOf('revisionDate') }
  dropAttributes(source)
  collector.addItem(
    {
      sourceId,
      item: builder.build({ category: kind.category, title, favorite: flagOf(source, 'favorite') }),
      ...(textOf(source, 'archivedDate') !== '' && { state: 'ARCHIVED' as const }),
      ...toTimes(times, report),
    },
    builder.files(),
  )
}

/** Adds the members that only this kind of item has. */
function addContent(content: Source, kind: ItemKind, builder: ItemBuilder): void {
  if (kind.name === 'login') addLogin(content, builder)
  else addMembers(content, kind.members, builder)
  if (kind.name === 'card') addExpiry(content, builder)
  if (kind.name === 'secureNote') ignoreMembers(content, 'type')
}

function dropAttributes(item: Source): void {
  ignoreMembers(item, ...ofAccount)
  if (numberOf(item, 'reprompt') === 1)
    reportAt(
      item,
      'reprompt',
      'attribute',
      'asking for the master password again has no counterpart',
    )
  dropMember(item, 'passwordHistory', 'password-history', 'earlier passwords have no counterpart')
  dropMember(item, 'organizationId', 'attribute', 'the organization of an item is left out')
}

function addGroup(
  id: string,
  groups: Groups,
  used: Set<string>,
  item: Source,
  builder: ItemBuilder,
): void {
  if (id === '') return
  const name = groups.get(id)
  if (name === undefined) reportAt(item, 'folderId', 'attribute', 'the folder is not in the export')
  else builder.addTag(name, `${item.path}/folderId`)
  used.add(id)
}

/** Adds the attachments of an archive. A JSON file at most lists them. */
function addAttachments(
  id: string,
  item: Source,
  builder: ItemBuilder,
  attachments: Attachments | undefined,
): void {
  for (const entry of attachments?.takeNames(id) ?? [])
    attachments?.attach(
      entry,
      {
        id: entry,
        name: entry.slice(`attachments/${id}/`.length),
        section: undefined,
        path: `${item.path}/attachments`,
      },
      builder,
    )
  if (attachments === undefined)
    dropMember(
      item,
      'attachments',
      'file',
      'a JSON file does not contain attachments: export as ".zip"',
    )
  else ignoreMembers(item, 'attachments')
}

/** The types of custom fields; 3 refers to another field. */
const customFieldTypes: readonly (FieldType | undefined)[] = ['STRING', 'CONCEALED', 'STRING']

/** Adds the fields of a login. */
function addLogin(login: Source, builder: ItemBuilder): void {
  builder.addField({
    path: `${login.path}/username`,
    ...{ id: 'username', label: 'username', purpose: 'USERNAME', value: textOf(login, 'username') },
  })
  builder.addField({
    path: `${login.path}/password`,
    ...{ id: 'password', label: 'password', type: 'CONCEALED', purpose: 'PASSWORD' },
    value: textOf(login, 'password'),
  })
  builder.addField({
    path: `${login.path}/totp`,
    ...{ id: 'totp', label: 'one-time password', type: 'TOTP', value: textOf(login, 'totp') },
  })
  for (const uri of objectsOf(login, 'uris')) {
    ignoreMembers(uri, 'uriChecksum')
    builder.addUrl(textOf(uri, 'uri'), '', `${uri.path}/uri`)
    dropMember(uri, 'match', 'attribute', 'how a URL is compared has no counterpart')
  }
  ignoreMembers(login, 'uri')
  dropMember(
    login,
    'fido2Credentials',
    'passkey',
    'a passkey can only be moved by the service that uses it',
  )
  dropMember(
    login,
    'passwordRevisionDate',
    'attribute',
    'the time of the last password is left out',
  )
  dropMember(
    login,
    'autofillOnPageLoad',
    'attribute',
    'settings for filling in have no counterpart',
  )
}

/** Adds a field for each member that the item has. */
function addMembers(source: Source, members: readonly Member[], builder: ItemBuilder): void {
  for (const [name, id, label, type = 'STRING'] of members)
    if (hasMember(source, name))
      builder.addField({
        path: `${source.path}/${name}`,
        id,
        label,
        type,
        value: textOf(source, name),
      })
}

/** Adds the month in which a card expires. */
function addExpiry(card: Source, builder: ItemBuilder): void {
  const [month, year] = [textOf(card, 'expMonth'), textOf(card, 'expYear')]
  if (month === '' && year === '') return
  const path = `${card.path}/expMonth`
  const isMonth = /^\d{1,2}$/.test(month) && /^\d{4}$/.test(year)
  const value = isMonth ? `${year}${month.padStart(2, '0')}` : [month, year].join(' ').trim()
  builder.addField({ path, id: 'expiry', label: 'expiry date', type: 'MONTH_YEAR', value })
}

/** Adds the custom fields, in their own section. */
function addCustomFields(item: Source, builder: ItemBuilder): void {
  if (!hasMember(item, 'fields')) return
  const section = builder.addSection('fields', 'Fields')
  for (const field of objectsOf(item, 'fields')) {
    const number = numberOf(field, 'type') ?? 0
    const type = customFieldTypes[number]
    const label = textOf(field, 'name')
    if (type === undefined) {
      skipSource(field, 'field', 'the field refers to another field, or has an unknown type')
      continue
    }
    ignoreMembers(field, 'linkedId')
    const input = { path: `${field.path}/value`, label, type, section }
    builder.addField({ ...input, id: label || 'field', value: textOf(field, 'value') })
  }
}
