/** Reads a 1PUX file, the export of 1Password 8: an archive with `export.data` and files. */

import { InvalidInputError } from '../../errors.js'
import type { ItemCategory } from '../../schema/item.js'
import { type Collector, createCollector } from '../collector.js'
import { toTimes } from '../field-values.js'
import { createItemBuilder, type ItemBuilder } from '../item-builder.js'
import { type ReadOptions, resolveArguments } from '../limits.js'
import { parseJson } from '../parse-json.js'
import type { ImportResult } from '../result.js'
import { createSource, type Source } from '../source.js'
import { type Attachments, createAttachments } from '../zip/attachments.js'
import { openZip } from '../zip/open-zip.js'
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

const dataName = 'export.data'

/**
 * Reads a 1PUX file. The vaults of the export become tags if more than one of them has items.
 * [The page on imports](https://github.com/cofferkit/cofferkit/blob/main/docs/importing.md) lists
 * where each attribute is stored, and which ones are lost.
 * @param bytes The whole file. It is not changed.
 * @throws InvalidInputError if it is not a 1PUX file, is damaged or exceeds a limit. No message
 * contains a part of it.
 * @throws TypeError if `bytes` is not a `Uint8Array`, or `options` not an object.
 * @throws RangeError if a limit is not an integer of 0 or more.
 */
export function readOnePux(bytes: Uint8Array, options: ReadOptions = {}): ImportResult {
  const limits = resolveArguments(bytes, options)
  const archive = openZip(bytes, limits)
  const data = archive.read(dataName, limits.textBytes)
  if (data === undefined) throw InvalidInputError.at('', `the archive has no ${dataName}`)
  const collector = createCollector('1pux', limits)
  const root = createSource(parseJson(data, limits), '', collector.report)
  if (!root.has('accounts')) throw InvalidInputError.at('', `${dataName} has no accounts`)
  const attachments = createAttachments(archive, limits, { folder: 'files/', separator: '__' })
  readAccounts(root, collector, attachments)
  attachments.reportUnused(collector.report)
  root.reportUnread()
  return collector.toResult()
}

function readAccounts(root: Source, collector: Collector, attachments: Attachments): void {
  const vaults = root.objects('accounts').flatMap((account) => {
    account.drop('attrs', 'attribute', 'the name, address and picture of an account are left out')
    return account.objects('vaults')
  })
  const contents = vaults.map((vault) => {
    const attributes = vault.object('attrs')
    attributes.ignore('uuid', 'type')
    attributes.drop('desc', 'attribute', 'the description of a vault is left out')
    attributes.drop('avatar', 'attribute', 'the picture of a vault is left out')
    return { name: attributes.text('name'), items: vault.objects('items') }
  })
  const isTagged = contents.filter(({ items }) => items.length > 0).length > 1
  for (const { name, items } of contents)
    for (const item of items) readItem(item, isTagged ? name : '', collector, attachments)
}

function readItem(
  source: Source,
  vaultName: string,
  collector: Collector,
  attachments: Attachments,
): void {
  const sourceId = collector.claimId(source.text('uuid'))
  const report = collector.reportFor(sourceId)
  source.reportTo(report)
  const state = source.text('state')
  if (state === 'trashed' || source.flag('trashed')) {
    source.skip('item', 'the item is in the trash')
    return
  }
  const overview = source.object('overview')
  const details = source.object('details')
  const title = overview.text('title')
  const builder = createItemBuilder(sourceId, report, title)
  addOverview(overview, builder)
  if (vaultName !== '') builder.addTag(vaultName)
  addDetails(details, builder, attachments)
  addDocument(source.object('file'), builder, attachments)
  if (state !== '' && state !== 'active' && state !== 'archived')
    source.report('state', 'attribute', 'the state is unknown')
  const timeOf = (name: string) => {
    const seconds = source.number(name)
    return { path: `${source.path}/${name}`, time: seconds && seconds * 1000 }
  }
  const times = { createdAt: timeOf('createdAt'), updatedAt: timeOf('updatedAt') }
  const category = categories.get(source.text('categoryUuid'))
  if (category === undefined)
    source.report('categoryUuid', 'converted', 'the category is unknown and became CUSTOM')
  collector.addItem(
    {
      sourceId,
      item: builder.build({
        category: category ?? 'CUSTOM',
        title,
        favorite: (source.number('favIndex') ?? 0) > 0,
      }),
      ...(state === 'archived' && { state: 'ARCHIVED' as const }),
      ...toTimes(times, report),
    },
    builder.files(),
  )
}

function addOverview(overview: Source, builder: ItemBuilder): void {
  // The subtitle is made from a field; the others rate the password.
  overview.ignore('subtitle', 'ps', 'pbe', 'pgrng')
  overview.drop('icons', 'attribute', 'an icon has no counterpart')
  overview.drop('watchtowerExclusions', 'attribute', 'exclusions of Watchtower have no counterpart')
  for (const tag of overview.texts('tags')) builder.addTag(tag)
  const urls = overview.objects('urls')
  for (const url of urls) {
    url.ignore('mode')
    builder.addUrl(url.text('url'), url.text('label'), `${url.path}/url`)
  }
  builder.addUrl(overview.text('url'), '', `${overview.path}/url`)
}

function addDetails(details: Source, builder: ItemBuilder, attachments: Attachments): void {
  addFormFields(details, builder)
  builder.addField({
    path: `${details.path}/password`,
    id: 'password',
    label: 'password',
    value: details.text('password'),
    ...{ type: 'CONCEALED', purpose: 'PASSWORD' },
  })
  builder.addNotes(details.text('notesPlain'), `${details.path}/notesPlain`)
  addSections(details, builder, (file, section) => addFile(file, section, builder, attachments))
  addFile(details.object('documentAttributes'), undefined, builder, attachments)
  details.drop('passwordHistory', 'password-history', 'earlier passwords have no counterpart')
  details.drop('passkey', 'passkey', 'a passkey can only be moved by the service that uses it')
}

/** Adds the file of `documentId`. Its entry is `files/<documentId>__<fileName>`. */
function addFile(
  attributes: Source,
  section: string | undefined,
  builder: ItemBuilder,
  attachments: Attachments,
): void {
  attributes.ignore('decryptedSize')
  const id = attributes.text('documentId')
  const name = attributes.text('fileName')
  if (id === '' && name === '') return
  const entry = attachments.find(id, name)
  attachments.attach(entry, { id, name, section, path: attributes.path }, builder)
}

/** Adds the file of a document in the form that the documentation of 1PUX shows. */
function addDocument(file: Source, builder: ItemBuilder, attachments: Attachments): void {
  const path = file.text('path')
  const attributes = file.object('attrs')
  if (path === '') return addFile(attributes, undefined, builder, attachments)
  attributes.ignore('decryptedSize')
  const id = attributes.text('documentId') || path
  const name = attributes.text('fileName') || path
  return attachments.attach(path, { id, name, section: undefined, path: file.path }, builder)
}
