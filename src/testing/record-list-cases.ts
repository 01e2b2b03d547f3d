/** That a record store finds its records again: in order, in pages and by label. */

import type { ListedRecord, RecordPage, RecordStore } from '../index.js'
import { type ContractCase, holds, same } from './contract.js'
import { record } from './text-record.js'

/** Cases about lists of records. */
export const recordListCases: readonly ContractCase<RecordStore>[] = [
  {
    name: 'lists ascending by the bytes of the id, with version and body',
    async run(records) {
      for (const id of ['b', 'a', 'B', '_', '1', 'ab'])
        await records.put({ collection: 'c', id }, record(id), 0)
      await records.put({ collection: 'c', id: 'b' }, record('again'), 1)
      same(
        texts(await records.list('c', { limit: 50 })),
        ['1 1 1', 'B 1 B', '_ 1 _', 'a 1 a', 'ab 1 ab', 'b 2 again'],
        'the list',
      )
      same(await records.list('other', { limit: 50 }), [], 'a collection without records')
    },
  },
  {
    name: 'lists in pages that leave nothing out and repeat nothing',
    async run(records) {
      for (let number = 0; number < 25; number++)
        await records.put({ collection: 'c', id: idOf(number) }, record('x'), 0)
      same(
        await walk(records, { limit: 7 }),
        Array.from({ length: 25 }, (_, number) => idOf(number)),
        'all pages',
      )
      same((await records.list('c', { limit: 7 })).length, 7, 'records of a page')
      same(await idsOf(records, { after: 'id-0100', limit: 7 }), [], 'after the last')
      same(
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
      same(await idsOf(records, { limit: 50 }), ['a', 'c', 'd'], 'the list')
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
      for (const [number, label] of labels.entries())
        await records.put({ collection: 'c', id: idOf(number) }, record('x', label), 0)
      for (const label of labels) {
        const expected = labels.flatMap((other, number) => (other === label ? [idOf(number)] : []))
        if (label !== undefined)
          same(await idsOf(records, { label, limit: 50 }), expected, `label ${label}`)
      }
      same(await idsOf(records, { label: 'none', limit: 50 }), [], 'a label nobody has')
      same(
        await records.list('other', { label: 'mail', limit: 50 }),
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
      same(await idsOf(records, { label: 'old', limit: 50 }), ['d'], 'the old label')
      same(await idsOf(records, { label: 'new', limit: 50 }), ['a'], 'the new label')
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
      same(await walk(records, { label: 'odd', limit: 3 }), odd, 'all pages of a label')
    },
  },
]

function idOf(number: number): string {
  return `id-${String(number).padStart(4, '0')}`
}

function texts(listed: readonly ListedRecord[]): string[] {
  return listed.map(({ id, version, body }) => `${id} ${version} ${new TextDecoder().decode(body)}`)
}

async function idsOf(records: RecordStore, page: RecordPage): Promise<string[]> {
  return (await records.list('c', page)).map(({ id }) => id)
}

async function walk(records: RecordStore, page: RecordPage): Promise<string[]> {
  const found: string[] = []
  for (
    let ids = await idsOf(records, page);
    ids.length > 0;
    ids = await idsOf(records, { ...page, after: ids.at(-1) as string })
  ) {
    found.push(...ids)
    holds(found.length < 10_000, 'pages do not end')
  }
  return found
}
