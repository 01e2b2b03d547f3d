import { describe, expect, it } from 'vitest'
import {
  formatHeader,
  itemCollection,
  itemKey,
  parseItemRecord,
} from '../../../src/core/records/item-record.js'
import { indexKeyOf } from '../../../src/core/records/stored-json.js'
import { type Item, StorageError } from '../../../src/index.js'
import { createTestVault, noteDraft } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
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

  it('returns an item without its fields on request, with its whole text', () => {
    const field = { id: 'pin', type: 'STRING', value: '1234' }
    const text = JSON.stringify({ ...item, fields: [field] })
    const record = { version: 3, body: utf8(`{"format":1,"files":[],"blobs":{}}\n${text}`) }
    const ref = { vaultId: item.vault.id, itemId: item.id }
    const parsed = parseItemRecord(record, ref, { omitsFields: true })
    expect(parsed).toMatchObject({ item: { ...item, fields: [] }, text })
    expect(parseItemRecord(record, ref)).toMatchObject({ item: { ...item, fields: [field] }, text })
    const broken = { version: 3, body: Uint8Array.of(...record.body, 0x7d) }
    expect(() => parseItemRecord(broken, ref, { omitsFields: true })).toThrow(StorageError)
  })

  it('itemKey is the id of the item in the collection of its vault', () => {
    expect(itemCollection('v')).toBe('items/v')
    expect(itemKey({ vaultId: 'v', itemId: 'i' })).toEqual({ collection: 'items/v', id: 'i' })
  })
})

describe('indexKeyOf', () => {
  it.each([
    ['Example', 'Example'],
    ['', ''],
    ['x'.repeat(128), 'x'.repeat(128)],
    ['x'.repeat(129), 'x'.repeat(128)],
    [`${'x'.repeat(126)}😀y`, `${'x'.repeat(126)}😀`],
    [`${'x'.repeat(127)}😀`, 'x'.repeat(127)],
  ])(
    'returns at most the first 128 code units of %j, cut between characters',
    (title, indexKey) => {
      expect(indexKeyOf(title)).toBe(indexKey)
    },
  )

  it('indexes an item by its current title and a vault by its name', async () => {
    const { service, store, caller, vaultId, item: login } = await createTestVault()
    const found = async (indexKey: string, collection = `items/${vaultId}`) =>
      (await store.records.list(collection, { indexKey, limit: 9 })).map(({ id }) => id)
    expect(await found('Example')).toEqual([login.id])
    expect(await found('Test', 'vaults')).toEqual([vaultId])
    const ref = { vaultId, itemId: login.id }
    await service.replaceItem(caller, { ...ref, item: noteDraft(vaultId, { title: 'New' }) })
    expect([await found('Example'), await found('New')]).toEqual([[], [login.id]])
    await service.patchItem(caller, { ...ref, patch: [{ op: 'remove', path: '/title' }] })
    expect(await found('New')).toEqual([])
  })
})
