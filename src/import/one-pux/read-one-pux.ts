/** Reads a 1PUX file, the export of 1Password 8: an archive with `export.data` and files. */

import type { ItemCategory } from '../../index.js'
import { type Collector, createCollector } from '../collector.js'
import { toTimes } from '../field-values.js'
import { createItemBuilder, type ItemBuilder, maxIdLength, maxTagLength } from '../item-builder.js'
import type { ReadLimits } from '../limits.js'
import type { RecognizedExport } from '../recognize-export.js'
import type { ImportedVault, ImportResult } from '../result.js'
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
  skipSource,
  textOf,
  textsOf,
} from '../source.js'
import { cutText } from '../text.js'
import { type Attachments, createAttachments } from '../zip/attachments.js'
import { addFormFields, addSections } from './add-fields.js'

/** The categories by `categoryUuid`. Any other one becomes `CUSTOM`. */
const categories: ReadonlyMap<string, ItemCategory> = new Map([
  ['001', 'LOGIN'],
  ['002', 'CREDIT_CARD'],
  ['003', 'SECURE_NOTE'],
  ['004', 'IDENTITY'],
  ['005', 'PASSWORD'],
  ['006', 'DOCUMENT'],
  ['100', 'SOFTWARE_LICENSE'],
  ['101', 'BANK_ACCOUNT'],
  ['102', 'DATABASE'],
  ['103', 'DRIVER_LICENSE'],
  ['104', 'OUTDOOR_LICENSE'],
  ['105', 'MEMBERSHIP'],
  ['106', 'PASSPORT'],
  ['107', 'REWARD_PROGRAM'],
  ['108', 'SOCIAL_SECURITY_NUMBER'],
  ['109', 'WIRELESS_ROUTER'],
  ['110', 'SERVER'],
  ['111', 'EMAIL_ACCOUNT'],
  ['112', 'API_CREDENTIAL'],
  ['113', 'MEDICAL_RECORD'],
  ['114', 'SSH_KEY'],
])

/**
 * Reads a 1PUX file. Each item has the vault of the export that it is in.
 * @throws InvalidInputError if it exceeds a limit. No message contains a part of it.
 */
export function readOnePux(
  { data, archive }: Extract<RecognizedExport, { format: '1pux' }>,
  limits: ReadLimits,
): ImportResult {
  const collector = createCollector('1pux', limits)
  const root = createSource(data, '', collector.report)
  const attachments = createAttachments(archive, limits, { folder: 'files/', separator: '__' })
  readAccounts(root, collector, attachments)
  attachments.reportUnused(collector.report)
  reportUnread(root)
  return collector.toResult()
}

function readAccounts(root: Source, collector: Collector, attachments: Attachments): void {
  const vaults = listObjects(root, 'accounts').flatMap((account) => {
    dropMember(
      account,
      'attrs',
      'attribute',
      'the name, address and picture of an account are left out',
    )
    return listObjects(account, 'vaults')
  })
  const contents = vaults.map((vault) => {
    const attributes = objectOf(vault, 'attrs')
    ignoreMembers(attributes, 'type')
    dropMember(attributes, 'desc', 'attribute', 'the description of a vault is left out')
    dropMember(attributes, 'avatar', 'attribute', 'the picture of a vault is left out')
    const given = textOf(attributes, 'name')
    const name = cutText(given, maxTagLength)
    if (name !== given)
      reportAt(
        attributes,
        'name',
        'converted',
        `the name was shortened to ${maxTagLength} characters`,
      )
    const id = cutText(textOf(attributes, 'uuid'), maxIdLength) || name
    return { vault: { id, name }, items: listObjects(vault, 'items') }
  })
  for (const { vault, items } of contents)
    for (const item of items) readItem(item, vault, collector, attachments)
}

function readItem(
  source: Source,
  vault: ImportedVault,
  collector: Collector,
  attachments: Attachments,
): void {
  const sourceId = collector.claimId(textOf(source, 'uuid'))
  const report = collector.reportFor(sourceId)
  source.report = report
  const state = textOf(source, 'state')
  if (state === 'trashed' || flagOf(source, 'trashed')) {
    skipSource(source, 'item', 'the item is in the trash')
    return
  }
  const overview = objectOf(source, 'overview')
  const title = textOf(overview, 'title')
  const builder = createItemBuilder(sourceId, report, title)
  if (hasMember(source, 'overview')) addOverview(overview, builder)
  if (hasMember(source, 'details')) addDetails(objectOf(source, 'details'), builder, attachments)
  if (hasMember(source, 'file')) addDocument(objectOf(source, 'file'), builder, attachments)
  if (state !== '' && state !== 'active' && state !== 'archived')
    reportAt(source, 'state', 'attribute', 'the state is unknown')
  const timeOf = (name: string) => {
    const seconds = numberOf(source, name)
    return { path: `${source.path}/${name}`, time: seconds && seconds * 1000 }
  }
  const times = { createdAt: timeOf('createdAt'), updatedAt: timeOf('updatedAt') }
  const category = categories.get(textOf(source, 'categoryUuid'))
  if (category === undefined)
    reportAt(source, 'categoryUuid', 'converted', 'the category is unknown and became CUSTOM')
  collector.addItem(
    {
      sourceId,
      vault,
      item: builder.build({
        category: category ?? 'CUSTOM',
        title,
        favorite: (numberOf(source, 'favIndex') ?? 0) > 0,
      }),
      ...(state === 'archived' && { state: 'ARCHIVED' as const }),
      ...toTimes(times, report),
    },
    builder.files(),
  )
  reportUnread(source)
}

function addOverview(overview: Source, builder: ItemBuilder): void {
  // The subtitle is made from a field; the others rate the password.
  ignoreMembers(overview, 'subtitle', 'ps', 'pbe', 'pgrng')
  dropMember(overview, 'icons', 'attribute', 'an icon has no counterpart')
  dropMember(
    overview,
    'watchtowerExclusions',
    'attribute',
    'exclusions of Watchtower have no counterpart',
  )
  for (const tag of textsOf(overview, 'tags')) builder.addTag(tag, `${overview.path}/tags`)
  for (const url of objectsOf(overview, 'urls')) {
    ignoreMembers(url, 'mode')
    builder.addUrl(textOf(url, 'url'), textOf(url, 'label'), `${url.path}/url`)
  }
  builder.addUrl(textOf(overview, 'url'), '', `${overview.path}/url`)
}

function addDetails(details: Source, builder: ItemBuilder, attachments: Attachments): void {
  addFormFields(details, builder)
  builder.addField({
    path: `${details.path}/password`,
    id: 'password',
    label: 'password',
    value: textOf(details, 'password'),
    ...{ type: 'CONCEALED', purpose: 'PASSWORD' },
  })
  builder.addNotes(textOf(details, 'notesPlain'), `${details.path}/notesPlain`)
  addSections(details, builder, (file, section) => addFile(file, section, builder, attachments))
  addFile(objectOf(details, 'documentAttributes'), undefined, builder, attachments)
  dropMember(
    details,
    'passwordHistory',
    'password-history',
    'earlier passwords have no counterpart',
  )
  dropMember(
    details,
    'passkey',
    'passkey',
    'a passkey can only be moved by the service that uses it',
  )
}

/** Adds the file of `documentId`. Its entry is `files/<documentId>__<fileName>`. */
function addFile(
  attributes: Source,
  section: string | undefined,
  builder: ItemBuilder,
  attachments: Attachments,
): void {
  ignoreMembers(attributes, 'decryptedSize')
  const id = textOf(attributes, 'documentId')
  const name = textOf(attributes, 'fileName')
  if (id === '' && name === '') return
  const entry = attachments.find(id, name)
  attachments.attach(entry, { id, name, section, path: attributes.path }, builder)
}

/** Adds the file of a document in the form that the documentation of 1PUX shows. */
function addDocument(file: Source, builder: ItemBuilder, attachments: Attachments): void {
  const path = textOf(file, 'path')
  const attributes = objectOf(file, 'attrs')
  if (path === '') return addFile(attributes, undefined, builder, attachments)
  ignoreMembers(attributes, 'decryptedSize')
  const id = textOf(attributes, 'documentId') || path
  const name = textOf(attributes, 'fileName') || path
  return attachments.attach(path, { id, name, section: undefined, path: file.path }, builder)
}
