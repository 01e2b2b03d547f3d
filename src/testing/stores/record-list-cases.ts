/** Contract cases about lists of records: order, pages and index keys. */

import { batchesOf, settleAll } from '../../base/batches.js'
import { assert, assertEqual, type ContractCase } from '../../base/contract-case.js'
import type { ListedRecord, RecordQuery, RecordStore } from '../../index.js'
import { textRecord } from './text-record.js'

/** Cases about `list`. */
export const recordListCases: readonly ContractCase<RecordStore>[] = [
  {
    name: 'lists records in ascending byte order of the id, with version and body',
    async run(records) {
      for (const id of ['b', 'a', 'B', '_', '1', 'ab'])
        await records.put({ collection: 'c', id }, textRecord(id), 0)
      await records.put({ collection: 'c', id: 'b' }, textRecord('again'), 1)
      assertEqual(
        toTexts(await records.list('c', { limit: 50 })),
        ['1 1 1', 'B 1 B', '_ 1 _', 'a 1 a', 'ab 1 ab', 'b 2 again'],
        'the list',
      )
      const unreadable = (await records.list('c', { limit: 50 })).filter(
        (record) => record.unreadable !== undefined,
      )
      assertEqual(unreadable, [], 'records that are unreadable')
      assertEqual(await records.list('other', { limit: 50 }), [], 'an empty collection')
    },
  },
  {
    name: 'lists in pages without gaps or duplicates',
    async run(records) {
      for (let number = 0; number < 25; number++)
        await records.put({ collection: 'c', id: toId(number) }, textRecord('x'), 0)
      assertEqual(
        await listAllIds(records, { limit: 7 }),
        Array.from({ length: 25 }, (_, number) => toId(number)),
        'all pages',
      )
      assertEqual((await records.list('c', { limit: 7 })).length, 7, 'records of a page')
      assertEqual(
        await listIds(records, { after: 'id-0100', limit: 7 }),
        [],
        'after the last record',
      )
      assertEqual(
        await listIds(records, { after: 'id-0003x', limit: 2 }),
        ['id-0004', 'id-0005'],
        'after an id that does not exist',
      )
    },
  },
  {
    name: 'returns as many records as the limit, even 500 in one page',
    async run(records) {
      const ids = Array.from({ length: 500 }, (_, number) => toId(number))
      for (const batch of batchesOf(ids, 25))
        await settleAll(
          batch.map((id) => records.put({ collection: 'c', id }, textRecord('x', 'key'), 0)),
        )
      for (const query of [{}, { indexKey: 'key' }, { maxBytes: 1000 }])
        for (const limit of [500, 1000])
          assertEqual(await listIds(records, { ...query, limit }), ids, `a page of ${limit}`)
    },
  },
  {
    name: 'lists the latest writes, without deleted records',
    async run(records) {
      for (const id of ['a', 'b', 'c'])
        await records.put({ collection: 'c', id }, textRecord(id), 0)
      await records.list('c', { limit: 50 })
      await records.delete({ collection: 'c', id: 'b' }, 1)
      await records.put({ collection: 'c', id: 'd' }, textRecord('d'), 0)
      assertEqual(await listIds(records, { limit: 50 }), ['a', 'c', 'd'], 'the list')
    },
  },
  {
    name: 'lists by index key exactly the records that were last written with it',
    async run(records) {
      const indexKeys = [
        'mail',
        'mail',
        'Mail',
        'mail ',
        'ma',
        undefined,
        'Ünïcödé 😀',
        'it\'s 100% "_"',
        'x'.repeat(128),
      ]
      for (const [number, indexKey] of indexKeys.entries())
        await records.put({ collection: 'c', id: toId(number) }, textRecord('x', indexKey), 0)
      for (const indexKey of indexKeys) {
        const expected = indexKeys.flatMap((other, number) =>
          other === indexKey ? [toId(number)] : [],
        )
        if (indexKey !== undefined)
          assertEqual(
            await listIds(records, { indexKey, limit: 50 }),
            expected,
            `index key ${indexKey}`,
          )
      }
      assertEqual(
        await listIds(records, { indexKey: 'none', limit: 50 }),
        [],
        'an unused index key',
      )
      assertEqual(
        await records.list('other', { indexKey: 'mail', limit: 50 }),
        [],
        'the index key in another collection',
      )
    },
  },
  {
    name: 'removes an index key when its record is written with another or none, or is deleted',
    async run(records) {
      for (const id of ['a', 'b', 'c', 'd'])
        await records.put({ collection: 'c', id }, textRecord('x', 'old'), 0)
      await records.put({ collection: 'c', id: 'a' }, textRecord('x', 'new'), 1)
      await records.put({ collection: 'c', id: 'b' }, textRecord('x'), 1)
      await records.delete({ collection: 'c', id: 'c' }, 1)
      assertEqual(
        await listIds(records, { indexKey: 'old', limit: 50 }),
        ['d'],
        'the old index key',
      )
      assertEqual(
        await listIds(records, { indexKey: 'new', limit: 50 }),
        ['a'],
        'the new index key',
      )
    },
  },
  {
    name: 'lists by index key in pages',
    async run(records) {
      for (let number = 0; number < 20; number++) {
        await records.put(
          { collection: 'c', id: toId(number) },
          textRecord('x', number % 2 ? 'odd' : 'even'),
          0,
        )
      }
      const odd = Array.from({ length: 10 }, (_, index) => toId(index * 2 + 1))
      assertEqual(
        await listAllIds(records, { indexKey: 'odd', limit: 3 }),
        odd,
        'all pages of an index key',
      )
    },
  },
  {
    name: 'ends a page after the record whose body reaches maxBytes',
    async run(records) {
      await putTenByteRecords(records, 6)
      const all = Array.from({ length: 6 }, (_, number) => toId(number))
      for (const [maxBytes, count] of [
        [1, 1],
        [10, 1],
        [11, 2],
        [25, 3],
        [30, 3],
        [31, 4],
        [60, 6],
        [1000, 6],
      ] as const) {
        const page = { limit: 50, maxBytes }
        assertEqual(
          await listIds(records, page),
          all.slice(0, count),
          `a page of ${maxBytes} bytes`,
        )
      }
      assertEqual(
        (await listIds(records, { limit: 2, maxBytes: 30 })).length,
        2,
        'records up to the limit',
      )
    },
  },
  {
    name: 'returns at least one record per page, however small maxBytes is',
    async run(records) {
      for (const [number, text] of ['', '', 'x'.repeat(100), 'y'.repeat(100), ''].entries())
        await records.put({ collection: 'c', id: toId(number) }, textRecord(text), 0)
      const page = { limit: 50, maxBytes: 1 }
      assertEqual(await listIds(records, page), [0, 1, 2].map(toId), 'empty bodies and one more')
      assertEqual(await listIds(records, { ...page, after: toId(2) }), [toId(3)], 'a longer body')
      assertEqual(await listIds(records, { ...page, after: toId(3) }), [toId(4)], 'the last page')
      assertEqual(await listIds(records, { ...page, after: toId(4) }), [], 'after the last record')
    },
  },
  {
    name: 'continues after a page that was ended by maxBytes',
    async run(records) {
      const all = Array.from({ length: 20 }, (_, number) => toId(number))
      for (const [number, id] of all.entries())
        await records.put({ collection: 'c', id }, textRecord(number % 2 ? 'ten bytes.' : 'x'), 0)
      for (const [limit, maxBytes] of [
        [50, 25],
        [2, 25],
        [3, 30],
        [50, 1],
      ] as const)
        assertEqual(
          await listAllIds(records, { limit, maxBytes }),
          all,
          `all pages of ${maxBytes} bytes`,
        )
    },
  },
  {
    name: 'counts only bodies with the index key towards maxBytes',
    async run(records) {
      await putTenByteRecords(records, 20, (number) => (number % 2 ? 'odd' : 'even'))
      const odd = Array.from({ length: 10 }, (_, index) => toId(index * 2 + 1))
      const page = { indexKey: 'odd', limit: 50, maxBytes: 25 }
      assertEqual(await listIds(records, page), odd.slice(0, 3), 'the first page of an index key')
      assertEqual(await listAllIds(records, page), odd, 'all pages of an index key')
    },
  },
]

/** Writes records with bodies of 10 bytes. */
async function putTenByteRecords(
  records: RecordStore,
  count: number,
  toIndexKey?: (number: number) => string,
): Promise<void> {
  for (let number = 0; number < count; number++)
    await records.put(
      { collection: 'c', id: toId(number) },
      textRecord('ten bytes.', toIndexKey?.(number)),
      0,
    )
}

function toId(number: number): string {
  return `id-${String(number).padStart(4, '0')}`
}

function toTexts(listed: readonly ListedRecord[]): string[] {
  return listed.map(({ id, version, body }) => `${id} ${version} ${new TextDecoder().decode(body)}`)
}

async function listIds(records: RecordStore, query: RecordQuery): Promise<string[]> {
  return (await records.list('c', query)).map(({ id }) => id)
}

async function listAllIds(records: RecordStore, query: RecordQuery): Promise<string[]> {
  const found: string[] = []
  for (let page = query; ; ) {
    const ids = await listIds(records, page)
    const after = ids.at(-1)
    if (after === undefined) return found
    found.push(...ids)
    assert(found.length < 10_000, 'the pages do not end')
    page = { ...query, after }
  }
}
