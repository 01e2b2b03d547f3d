import { describe, expect, it } from 'vitest'
import { formatHeader, itemKey, parseItemRecord } from '../../../src/core/records/item-record.js'
import { type Item, StorageError } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { noteDraft } from '../../support/drafts.js'
import { formatRecord, parseRecord } from '../../support/items/item-records.js'

const item: Item = {
  id: 'i'.repeat(26),
  vault: { id: 'v'.repeat(26) },
  category: 'LOGIN',
  title: 'Two\nlines',
  favorite: false,
  tags: [],
  urls: [],
  version: 3,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  lastEditedBy: 'tester',
  sections: [],
  fields: [],
  files: [],
}

describe('parseItemRecord', () => {
  it('parses what the service writes: a header line and the item as it is returned', async () => {
    const { service, store, caller, vaultId } = await createTestVault()
    const created = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    const ref = { vaultId, itemId: created.id }
    const [header, text] = ['{"format":1,"files":[],"blobs":{}}', JSON.stringify(created)]
    const record = await store.records.get(itemKey(ref))
    expect(record?.body).toEqual(utf8(`${header}\n${text}`))
    expect(record && parseItemRecord(record, ref)).toStrictEqual({ item: created, header, text })
  })

  it('formatHeader includes the state when the item has one', () => {
    expect(formatHeader({ ...item, state: 'ARCHIVED' }, {})).toBe(
      '{"format":1,"state":"ARCHIVED","files":[],"blobs":{}}',
    )
  })

  it('round-trips a record', () => {
    const record = { item, blobs: { file: 'blob' } }
    expect(parseRecord(formatRecord(record))).toStrictEqual(record)
  })

  it.each<[string, string]>([
    ['no second line', '{"format":1,"files":[],"blobs":{}}'],
    ['no bytes', ''],
    ['an empty header', `\n${JSON.stringify(item)}`],
    ['an empty item', '{"format":1,"files":[],"blobs":{}}\n'],
    ['another format', `{"format":2,"files":[],"blobs":{}}\n${JSON.stringify(item)}`],
    ['no format', `{"files":[],"blobs":{}}\n${JSON.stringify(item)}`],
    ['no blobs', `{"format":1,"files":[]}\n${JSON.stringify(item)}`],
    ['invalid blobs', `{"format":1,"files":[],"blobs":{"a":1}}\n${JSON.stringify(item)}`],
    [
      'an unknown state',
      `{"format":1,"files":[],"blobs":{}}\n${JSON.stringify({ ...item, state: 'LOST' })}`,
    ],
    [
      'no version',
      `{"format":1,"files":[],"blobs":{}}\n${JSON.stringify({ ...item, version: 0 })}`,
    ],
    ['a third line', `{"format":1,"files":[],"blobs":{}}\n${JSON.stringify(item)}\n{}`],
  ])('throws StorageError for %s', (_, text) => {
    expect(() => parseRecord(utf8(text))).toThrow(StorageError)
  })

  it.each<[string, unknown]>([
    ['no list', undefined],
    ['another element', ['pin']],
    ['a list as an element', [[]]],
    ['no id', [{ type: 'STRING' }]],
    ['no type', [{ id: 'pin' }]],
    ['a type in lower case', [{ id: 'pin', type: 'string' }]],
    ['a value that is no text', [{ id: 'pin', type: 'STRING', value: 1234 }]],
    ['a label that is null', [{ id: 'pin', type: 'STRING', label: null }]],
    ['an unknown purpose', [{ id: 'pin', type: 'STRING', purpose: 'OTHER' }]],
    ['a section that is a text', [{ id: 'pin', type: 'STRING', section: 'more' }]],
    ['an entropy that is a text', [{ id: 'pin', type: 'STRING', entropy: '7' }]],
    ['an invalid field after a valid one', [{ id: 'pin', type: 'STRING' }, { id: 7 }]],
  ])('throws StorageError for fields with %s', (_, fields) => {
    const text = JSON.stringify({ ...item, fields })
    const body = utf8(`{"format":1,"files":[],"blobs":{}}\n${text}`)
    const ref = { vaultId: item.vault.id, itemId: item.id }
    expect(() => parseItemRecord({ version: item.version, body }, ref)).toThrow(StorageError)
  })

  it('itemKey is the id of the item in the collection of its vault', () => {
    expect(itemKey({ vaultId: 'v', itemId: 'i' })).toEqual({ collection: 'items/v', id: 'i' })
  })
})

describe('writeItem', () => {
  it('indexes an item by its current title, and a vault by its name, in folded case', async () => {
    const { service, store, caller, vaultId, item: login } = await createTestVault()
    const found = async (indexKey: string, collection = `items/${vaultId}`) =>
      (await store.records.list(collection, { indexKey, limit: 9 })).map(({ id }) => id)
    expect(await found('example')).toEqual([login.id])
    expect(await found('test', 'vaults')).toEqual([vaultId])
    const ref = { vaultId, itemId: login.id }
    await service.replaceItem(caller, { ...ref, item: noteDraft(vaultId, { title: 'New' }) })
    expect([await found('example'), await found('new')]).toEqual([[], [login.id]])
    await service.patchItem(caller, { ...ref, patch: [{ op: 'remove', path: '/title' }] })
    expect(await found('new')).toEqual([])
  })
})
