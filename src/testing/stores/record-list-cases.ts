/** That a record store finds its records again: in order, in pages and by label. */

import type { ListedRecord, RecordQuery, RecordStore } from '../../index.js'
import { assert, assertEqual, type ContractCase } from '../contract-case.js'
import { record } from './text-record.js'

/** Cases about lists of records. */
export const recordListCases: readonly ContractCase<RecordStore>[] = [
  {
    name: 'lists ascending by the bytes of the id, with version and body',
    async run(records) {
      for (const id of ['b', 'a', 'B', '_', '1', 'ab'])
        await records.put({ collection: 'c', id }, record(id), 0)
      await records.put({ collection: 'c', id: 'b' }, record('again'), 1)
      assertEqual(
        texts(await records.list('c', { limit: 50 })),
        ['1 1 1', 'B 1 B', '_ 1 _', 'a 1 a', 'ab 1 ab', 'b 2 again'],
        'the list',
      )
      assertEqual(await records.list('other', { limit: 50 }), [], 'a collection without records')
    },
  },
  {
    name: 'lists in pages that leave nothing out and repeat nothing',
    async run(records) {
      for (let number = 0; number < 25; number++)
        await records.put({ collection: 'c', id: idOf(number) }, record('x'), 0)
      assertEqual(
        await walk(records, { limit: 7 }),
        Array.from({ length: 25 }, (_, number) => idOf(number)),
        'all pages',
      )
      assertEqual((await records.list('c', { limit: 7 })).length, 7, 'records of a page')
      assertEqual(await idsOf(records, { after: 'id-0100', limit: 7 }), [], 'after the last')
      assertEqual(
        await idsOf(records, { after: 'id-0003x', limit: 2 }),
        ['id-0004', 'id-0005'],
        'after an id that is not there',
      )
    },
  },
  {
    name: 'lists what was written last, without what was deleted',
    async run(records) {
      for (const id of ['a', 'b', 'c']) await records.put({ collection: 'c', id }, record(id), 0)
      await records.list('c', { limit: 50 })
      await records.delete({ collection: 'c', id: 'b' }, 1)
      await records.put({ collection: 'c', id: 'd' }, record('d'), 0)
      assertEqual(await idsOf(records, { limit: 50 }), ['a', 'c', 'd'], 'the list')
    },
  },
  {
    name: 'finds by label exactly the records that were last written with it',
    async run(records) {
      const labels = [
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
      for (const [number, indexKey] of labels.entries())
        await records.put({ collection: 'c', id: idOf(number) }, record('x', indexKey), 0)
      for (const indexKey of labels) {
        const expected = labels.flatMap((other, number) =>
          other === indexKey ? [idOf(number)] : [],
        )
        if (indexKey !== undefined)
          assertEqual(await idsOf(records, { indexKey, limit: 50 }), expected, `label ${indexKey}`)
      }
      assertEqual(await idsOf(records, { indexKey: 'none', limit: 50 }), [], 'a label nobody has')
      assertEqual(
        await records.list('other', { indexKey: 'mail', limit: 50 }),
        [],
        'the label in another collection',
      )
    },
  },
  {
    name: 'forgets a label when its record gets another, none, or is deleted',
    async run(records) {
      for (const id of ['a', 'b', 'c', 'd'])
        await records.put({ collection: 'c', id }, record('x', 'old'), 0)
      await records.put({ collection: 'c', id: 'a' }, record('x', 'new'), 1)
      await records.put({ collection: 'c', id: 'b' }, record('x'), 1)
      await records.delete({ collection: 'c', id: 'c' }, 1)
      assertEqual(await idsOf(records, { indexKey: 'old', limit: 50 }), ['d'], 'the old label')
      assertEqual(await idsOf(records, { indexKey: 'new', limit: 50 }), ['a'], 'the new label')
    },
  },
  {
    name: 'lists by label in pages too',
    async run(records) {
      for (let number = 0; number < 20; number++) {
        await records.put(
          { collection: 'c', id: idOf(number) },
          record('x', number % 2 ? 'odd' : 'even'),
          0,
        )
      }
      const odd = Array.from({ length: 10 }, (_, index) => idOf(index * 2 + 1))
      assertEqual(await walk(records, { indexKey: 'odd', limit: 3 }), odd, 'all pages of a label')
    },
  },
  {
    name: 'ends a page after the record with which the bodies reach maxBytes',
    async run(records) {
      await putTens(records, 6)
      const all = Array.from({ length: 6 }, (_, number) => idOf(number))
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
        assertEqual(await idsOf(records, page), all.slice(0, count), `a page of ${maxBytes} bytes`)
      }
      assertEqual(
        (await idsOf(records, { limit: 2, maxBytes: 30 })).length,
        2,
        'records up to the limit',
      )
    },
  },
  {
    name: 'holds a record in each page, however few bytes maxBytes is',
    async run(records) {
      for (const [number, text] of ['', '', 'x'.repeat(100), 'y'.repeat(100), ''].entries())
        await records.put({ collection: 'c', id: idOf(number) }, record(text), 0)
      const page = { limit: 50, maxBytes: 1 }
      assertEqual(await idsOf(records, page), [0, 1, 2].map(idOf), 'empty bodies and one more')
      assertEqual(
        await idsOf(records, { ...page, after: idOf(2) }),
        [idOf(3)],
        'a body that is longer',
      )
      assertEqual(await idsOf(records, { ...page, after: idOf(3) }), [idOf(4)], 'the last page')
      assertEqual(await idsOf(records, { ...page, after: idOf(4) }), [], 'after the last')
    },
  },
  {
    name: 'goes on after a page that maxBytes has ended',
    async run(records) {
      const all = Array.from({ length: 20 }, (_, number) => idOf(number))
      for (const [number, id] of all.entries())
        await records.put({ collection: 'c', id }, record(number % 2 ? 'ten bytes.' : 'x'), 0)
      for (const [limit, maxBytes] of [
        [50, 25],
        [2, 25],
        [3, 30],
        [50, 1],
      ] as const)
        assertEqual(await walk(records, { limit, maxBytes }), all, `all pages of ${maxBytes} bytes`)
    },
  },
  {
    name: 'counts only the bodies of the label towards maxBytes',
    async run(records) {
      await putTens(records, 20, (number) => (number % 2 ? 'odd' : 'even'))
      const odd = Array.from({ length: 10 }, (_, index) => idOf(index * 2 + 1))
      const page = { indexKey: 'odd', limit: 50, maxBytes: 25 }
      assertEqual(await idsOf(records, page), odd.slice(0, 3), 'the first page of a label')
      assertEqual(await walk(records, page), odd, 'all pages of a label')
    },
  },
]

/** Records with bodies of ten bytes. */
async function putTens(
  records: RecordStore,
  count: number,
  labelOf?: (number: number) => string,
): Promise<void> {
  for (let number = 0; number < count; number++)
    await records.put(
      { collection: 'c', id: idOf(number) },
      record('ten bytes.', labelOf?.(number)),
      0,
    )
}

function idOf(number: number): string {
  return `id-${String(number).padStart(4, '0')}`
}

function texts(listed: readonly ListedRecord[]): string[] {
  return listed.map(({ id, version, body }) => `${id} ${version} ${new TextDecoder().decode(body)}`)
}

async function idsOf(records: RecordStore, page: RecordQuery): Promise<string[]> {
  return (await records.list('c', page)).map(({ id }) => id)
}

async function walk(records: RecordStore, page: RecordQuery): Promise<string[]> {
  const found: string[] = []
  for (
    let ids = await idsOf(records, page);
    ids.length > 0;
    ids = await idsOf(records, { ...page, after: ids.at(-1) as string })
  ) {
    found.push(...ids)
    assert(found.length < 10_000, 'pages do not end')
  }
  return found
}
