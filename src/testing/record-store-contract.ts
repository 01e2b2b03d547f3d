/** What every record store promises, as cases. */

import type { ListedRecord, RecordPage, RecordStore } from '../index.js'
import { type ContractCase, holds, same } from './contract.js'

const key = { collection: 'c', id: 'a' }

/** Run each case against an empty store of its own. */
export const recordStoreContract: readonly ContractCase<RecordStore>[] = [
  {
    name: 'answers undefined where nothing was written',
    async run(records) {
      same(await records.get(key), undefined, 'an empty place')
    },
  },
  {
    name: 'answers what was written, byte for byte, as version 1',
    async run(records) {
      const every = Uint8Array.from({ length: 256 }, (_, byte) => byte)
      same(await records.put(key, { body: every }, 0), true, 'the put')
      same(await records.get(key), { version: 1, body: every }, 'the record')
    },
  },
  {
    name: 'keeps an empty body and one of a million bytes',
    async run(records) {
      const large = Uint8Array.from({ length: 1_000_000 }, (_, index) => (index * 31) & 255)
      await records.put(key, { body: new Uint8Array(0) }, 0)
      await records.put({ ...key, id: 'large' }, { body: large }, 0)
      same((await records.get(key))?.body, new Uint8Array(0), 'the empty body')
      same((await records.get({ ...key, id: 'large' }))?.body, large, 'the large body')
    },
  },
  {
    name: 'writes over the version that was seen, as the next one',
    async run(records) {
      for (const seen of [0, 1, 2]) same(await records.put(key, record(`v${seen + 1}`), seen), true, `put over ${seen}`)
      same(await textAt(records, 'a'), '3 v3', 'the last version')
    },
  },
  {
    name: 'refuses to write over a version that was not seen, and leaves what is there',
    async run(records) {
      same(await records.put(key, record('x'), 1), false, 'put over version 1 of an empty place')
      same(await records.get(key), undefined, 'the empty place')
      await records.put(key, record('first'), 0)
      await records.put(key, record('second'), 1)
      for (const seen of [0, 1, 3, 20]) same(await records.put(key, record('x'), seen), false, `put over ${seen}`)
      same(await textAt(records, 'a'), '2 second', 'the record')
    },
  },
  {
    name: 'lets one of many concurrent writers over the same version win',
    async run(records) {
      for (const seen of [0, 1, 2]) {
        const writers = Array.from({ length: 16 }, (_, index) => records.put(key, record(`w${index}`), seen))
        const outcomes = await Promise.all(writers)
        same(outcomes.filter(Boolean).length, 1, `winners over version ${seen}`)
        same(await textAt(records, 'a'), `${seen + 1} w${outcomes.indexOf(true)}`, 'the record of the winner')
      }
    },
  },
  {
    name: 'loses none of many concurrent changes that try again when they are refused',
    async run(records) {
      await records.put(key, record('0'), 0)
      await Promise.all(Array.from({ length: 32 }, () => increment(records)))
      same(await textAt(records, 'a'), '33 32', 'the count')
    },
  },
  {
    name: 'deletes the version that was seen, and nothing else',
    async run(records) {
      same(await records.delete(key, 0), false, 'delete of version 0')
      same(await records.delete(key, 1), false, 'delete of an empty place')
      await records.put(key, record('first'), 0)
      await records.put(key, record('second'), 1)
      for (const seen of [0, 1, 3]) same(await records.delete(key, seen), false, `delete of version ${seen}`)
      same(await textAt(records, 'a'), '2 second', 'the record')
      same(await records.delete(key, 2), true, 'delete of the version that is stored')
      same(await records.get(key), undefined, 'the place afterwards')
    },
  },
  {
    name: 'has an empty place again after a delete, which begins at version 1',
    async run(records) {
      await records.put(key, record('first'), 0)
      await records.put(key, record('second'), 1)
      await records.delete(key, 2)
      same(await records.put(key, record('x'), 2), false, 'put over the deleted version')
      same(await records.put(key, record('again'), 0), true, 'put into the empty place')
      same(await textAt(records, 'a'), '1 again', 'the record')
    },
  },
  {
    name: 'lets either a writer or a deleter of the same version win, not both',
    async run(records) {
      await records.put(key, record('first'), 0)
      const [written, deleted] = await Promise.all([records.put(key, record('second'), 1), records.delete(key, 1)])
      same([written, deleted].filter(Boolean).length, 1, 'winners')
      same(await textAt(records, 'a'), written ? '2 second' : undefined, 'the place afterwards')
    },
  },
  {
    name: 'keeps collections and ids apart, whatever printable characters they have',
    async run(records) {
      const names = ['a', 'A', 'a/b', 'a%', 'a_', "a'", 'a"', 'a\\', 'a b', '~']
      for (const collection of names) {
        for (const id of names) await records.put({ collection, id }, record(`${collection}|${id}`), 0)
      }
      for (const collection of names) {
        for (const id of names) same(await textAt(records, id, collection), `1 ${collection}|${id}`, 'the record')
        same((await records.list(collection, { limit: 50 })).length, names.length, 'records of the collection')
      }
    },
  },
  {
    name: 'owns what it keeps: bytes that are changed outside change nothing inside',
    async run(records) {
      const body = new TextEncoder().encode('mine')
      await records.put(key, { body }, 0)
      body.fill(0)
      same(await textAt(records, 'a'), '1 mine', 'after the writer changed his bytes')
      ;(await records.get(key))?.body.fill(0)
      ;(await records.list('c', { limit: 1 }))[0]?.body.fill(0)
      same(await textAt(records, 'a'), '1 mine', 'after readers changed theirs')
    },
  },
  {
    name: 'lists ascending by the bytes of the id, with version and body',
    async run(records) {
      for (const id of ['b', 'a', 'B', '_', '1', 'ab']) await records.put({ collection: 'c', id }, record(id), 0)
      await records.put({ collection: 'c', id: 'b' }, record('again'), 1)
      same(texts(await records.list('c', { limit: 50 })), ['1 1 1', 'B 1 B', '_ 1 _', 'a 1 a', 'ab 1 ab', 'b 2 again'], 'the list')
      same(await records.list('other', { limit: 50 }), [], 'a collection without records')
    },
  },
  {
    name: 'lists in pages that leave nothing out and repeat nothing',
    async run(records) {
      for (let number = 0; number < 25; number++) await records.put({ collection: 'c', id: idOf(number) }, record('x'), 0)
      same(await walk(records, { limit: 7 }), Array.from({ length: 25 }, (_, number) => idOf(number)), 'all pages')
      same((await records.list('c', { limit: 7 })).length, 7, 'records of a page')
      same(await idsOf(records, { after: 'id-0100', limit: 7 }), [], 'after the last')
      same(await idsOf(records, { after: 'id-0003x', limit: 2 }), ['id-0004', 'id-0005'], 'after an id that is not there')
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
      const labels = ['mail', 'mail', 'Mail', 'mail ', 'ma', undefined, 'Ünïcödé 😀', "it's 100% \"_\"", 'x'.repeat(128)]
      for (const [number, label] of labels.entries()) await records.put({ collection: 'c', id: idOf(number) }, record('x', label), 0)
      for (const label of labels) {
        const expected = labels.flatMap((other, number) => (other === label ? [idOf(number)] : []))
        if (label !== undefined) same(await idsOf(records, { label, limit: 50 }), expected, `label ${label}`)
      }
      same(await idsOf(records, { label: 'none', limit: 50 }), [], 'a label nobody has')
      same(await records.list('other', { label: 'mail', limit: 50 }), [], 'the label in another collection')
    },
  },
  {
    name: 'forgets a label when its record gets another, none, or is deleted',
    async run(records) {
      for (const id of ['a', 'b', 'c', 'd']) await records.put({ collection: 'c', id }, record('x', 'old'), 0)
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
        await records.put({ collection: 'c', id: idOf(number) }, record('x', number % 2 ? 'odd' : 'even'), 0)
      }
      const odd = Array.from({ length: 10 }, (_, index) => idOf(index * 2 + 1))
      same(await walk(records, { label: 'odd', limit: 3 }), odd, 'all pages of a label')
    },
  },
]

function record(text: string, label?: string): { body: Uint8Array; label?: string } {
  return { body: new TextEncoder().encode(text), ...(label !== undefined && { label }) }
}

function idOf(number: number): string {
  return `id-${String(number).padStart(4, '0')}`
}

async function textAt(records: RecordStore, id: string, collection = 'c'): Promise<string | undefined> {
  const stored = await records.get({ collection, id })
  return stored && `${stored.version} ${new TextDecoder().decode(stored.body)}`
}

function texts(listed: readonly ListedRecord[]): string[] {
  return listed.map(({ id, version, body }) => `${id} ${version} ${new TextDecoder().decode(body)}`)
}

async function idsOf(records: RecordStore, page: RecordPage): Promise<string[]> {
  return (await records.list('c', page)).map(({ id }) => id)
}

async function walk(records: RecordStore, page: RecordPage): Promise<string[]> {
  const found: string[] = []
  for (let ids = await idsOf(records, page); ids.length > 0; ids = await idsOf(records, { ...page, after: ids.at(-1) as string })) {
    found.push(...ids)
    holds(found.length < 10_000, 'pages do not end')
  }
  return found
}

async function increment(records: RecordStore): Promise<void> {
  for (let tries = 0; tries < 10_000; tries++) {
    const stored = await records.get(key)
    const count = Number(new TextDecoder().decode(stored?.body)) + 1
    if (await records.put(key, record(String(count)), stored?.version ?? 0)) return
  }
  throw new Error('a change was refused 10,000 times')
}
