/** What every record store promises, as cases. */

import type { RecordStore } from '../../index.js'
import { assertEqual, type ContractCase, assertMembersEqual } from '../contract-case.js'
import { recordListCases } from './record-list-cases.js'
import { textRecord, readText } from './text-record.js'

/** Cases about single records. */
const recordWriteCases: readonly ContractCase<RecordStore>[] = [
  {
    name: 'answers undefined where nothing was written',
    async run(records) {
      assertEqual(await records.get(key), undefined, 'an empty place')
    },
  },
  {
    name: 'answers what was written, byte for byte, as version 1',
    async run(records) {
      const every = Uint8Array.from({ length: 256 }, (_, byte) => byte)
      const within = Uint8Array.of(1, ...every, 1).subarray(1, -1)
      assertEqual(await records.put(key, { body: within }, 0), true, 'the put')
      assertMembersEqual(await records.get(key), { version: 1, body: every }, 'the record')
    },
  },
  {
    name: 'keeps an empty body and one of a million bytes',
    async run(records) {
      const large = Uint8Array.from({ length: 1_000_000 }, (_, index) => (index * 31) & 255)
      await records.put(key, { body: new Uint8Array(0) }, 0)
      await records.put({ ...key, id: 'large' }, { body: large }, 0)
      assertEqual((await records.get(key))?.body, new Uint8Array(0), 'the empty body')
      assertEqual((await records.get({ ...key, id: 'large' }))?.body, large, 'the large body')
    },
  },
  {
    name: 'writes over the version that was seen, as the next one',
    async run(records) {
      for (const seen of [0, 1, 2])
        assertEqual(await records.put(key, textRecord(`v${seen + 1}`), seen), true, `put over ${seen}`)
      assertEqual(await readText(records, 'a'), '3 v3', 'the last version')
    },
  },
  {
    name: 'refuses to write over a version that was not seen, and leaves what is there',
    async run(records) {
      assertEqual(
        await records.put(key, textRecord('x'), 1),
        false,
        'put over version 1 of an empty place',
      )
      assertEqual(await records.get(key), undefined, 'the empty place')
      await records.put(key, textRecord('first'), 0)
      await records.put(key, textRecord('second'), 1)
      for (const seen of [0, 1, 3, 20])
        assertEqual(await records.put(key, textRecord('x'), seen), false, `put over ${seen}`)
      assertEqual(await readText(records, 'a'), '2 second', 'the record')
    },
  },
  {
    name: 'lets one of many concurrent writers over the same version win',
    async run(records) {
      for (const seen of [0, 1, 2]) {
        const writers = Array.from({ length: 16 }, (_, index) =>
          records.put(key, textRecord(`w${index}`), seen),
        )
        const outcomes = await Promise.all(writers)
        assertEqual(outcomes.filter(Boolean).length, 1, `winners over version ${seen}`)
        assertEqual(
          await readText(records, 'a'),
          `${seen + 1} w${outcomes.indexOf(true)}`,
          'the record of the winner',
        )
      }
    },
  },
  {
    name: 'loses none of many concurrent changes that try again when they are refused',
    async run(records) {
      await records.put(key, textRecord('0'), 0)
      await Promise.all(Array.from({ length: 32 }, () => incrementWithRetry(records)))
      assertEqual(await readText(records, 'a'), '33 32', 'the count')
    },
  },
  {
    name: 'deletes the version that was seen, and nothing else',
    async run(records) {
      assertEqual(await records.delete(key, 0), false, 'delete of version 0')
      assertEqual(await records.delete(key, 1), false, 'delete of an empty place')
      await records.put(key, textRecord('first'), 0)
      await records.put(key, textRecord('second'), 1)
      for (const seen of [0, 1, 3])
        assertEqual(await records.delete(key, seen), false, `delete of version ${seen}`)
      assertEqual(await readText(records, 'a'), '2 second', 'the record')
      assertEqual(await records.delete(key, 2), true, 'delete of the version that is stored')
      assertEqual(await records.get(key), undefined, 'the place afterwards')
    },
  },
  {
    name: 'has an empty place again after a delete, which begins at version 1',
    async run(records) {
      await records.put(key, textRecord('first'), 0)
      await records.put(key, textRecord('second'), 1)
      await records.delete(key, 2)
      assertEqual(await records.put(key, textRecord('x'), 2), false, 'put over the deleted version')
      assertEqual(await records.put(key, textRecord('again'), 0), true, 'put into the empty place')
      assertEqual(await readText(records, 'a'), '1 again', 'the record')
    },
  },
  {
    name: 'lets either a writer or a deleter of the same version win, not both',
    async run(records) {
      for (const [id, writerFirst] of [
        ['a', true],
        ['b', false],
      ] as const) {
        const ref = { ...key, id }
        await records.put(ref, textRecord('first'), 0)
        const write = (): Promise<boolean> => records.put(ref, textRecord('second'), 1)
        const remove = (): Promise<boolean> => records.delete(ref, 1)
        const outcomes = await Promise.all(writerFirst ? [write(), remove()] : [remove(), write()])
        assertEqual(outcomes.filter(Boolean).length, 1, 'winners')
        const written = outcomes[writerFirst ? 0 : 1]
        assertEqual(
          await readText(records, id),
          written ? '2 second' : undefined,
          'the place afterwards',
        )
      }
    },
  },
  {
    name: 'keeps collections and ids apart, whatever printable characters they have',
    async run(records) {
      const names = [
        'a',
        'A',
        'a%',
        'a_',
        "a'",
        'a"',
        'a\\',
        '~',
        'a/b',
        'b/a',
        'a:b',
        'b:a',
        'a|b',
        'b|a',
        'a b',
        'b a',
      ]
      for (const collection of names) {
        for (const id of names)
          await records.put({ collection, id }, textRecord(`${collection}|${id}`), 0)
      }
      for (const collection of names) {
        for (const id of names)
          assertEqual(await readText(records, id, collection), `1 ${collection}|${id}`, 'the record')
        assertEqual(
          (await records.list(collection, { limit: 50 })).length,
          names.length,
          'records of the collection',
        )
      }
    },
  },
  {
    name: 'leaves the bytes that it is handed as they are',
    async run(records) {
      const body = new TextEncoder().encode('mine')
      await records.put(key, { body, indexKey: 'l' }, 0)
      await records.put(key, { body, indexKey: 'l' }, 1)
      assertEqual(body, new TextEncoder().encode('mine'), 'the bytes of the writer')
    },
  },
]

/** Run each case against an empty store of its own. */
export const recordStoreContract: readonly ContractCase<RecordStore>[] = [
  ...recordWriteCases,
  ...recordListCases,
]

const key = { collection: 'c', id: 'a' }

async function incrementWithRetry(records: RecordStore): Promise<void> {
  for (let tries = 0; tries < 10_000; tries++) {
    const stored = await records.get(key)
    const count = Number(new TextDecoder().decode(stored?.body)) + 1
    if (await records.put(key, textRecord(String(count)), stored?.version ?? 0)) return
  }
  throw new Error('a change was refused 10,000 times')
}
