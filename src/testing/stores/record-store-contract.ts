/** The contract of a record store. */

import { anyStore } from '../../base/argument.js'
import { settleAll } from '../../base/batches.js'
import {
  assertEqual,
  assertMembersEqual,
  type ContractCase,
  checkSubjects,
} from '../../base/contract-case.js'
import type { RecordStore } from '../../index.js'
import { recordListCases } from './record-list-cases.js'
import { readText, textRecord } from './text-record.js'

/** Cases about reading, writing and deleting single records. */
const recordWriteCases: readonly ContractCase<RecordStore>[] = [
  {
    name: 'returns undefined when nothing was written',
    async run(records) {
      assertEqual(await records.get(key), undefined, 'an unwritten key')
    },
  },
  {
    name: 'returns the written record byte for byte, as version 1',
    async run(records) {
      const allBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
      const within = Uint8Array.of(1, ...allBytes, 1).subarray(1, -1)
      assertEqual(await records.put(key, { body: within }, 0), true, 'the put')
      assertMembersEqual(await records.get(key), { version: 1, body: allBytes }, 'the record')
    },
  },
  {
    name: 'stores an empty body and a body of 1,000,000 bytes',
    async run(records) {
      const large = Uint8Array.from({ length: 1_000_000 }, (_, index) => (index * 31) & 255)
      await records.put(key, { body: new Uint8Array(0) }, 0)
      await records.put({ ...key, id: 'large' }, { body: large }, 0)
      assertEqual((await records.get(key))?.body, new Uint8Array(0), 'the empty body')
      assertEqual((await records.get({ ...key, id: 'large' }))?.body, large, 'the large body')
    },
  },
  {
    name: 'replaces a record at the expected version and increments the version',
    async run(records) {
      for (const version of [0, 1, 2])
        assertEqual(
          await records.put(key, textRecord(`v${version + 1}`), version),
          true,
          `put at version ${version}`,
        )
      assertEqual(await readText(records, 'a'), '3 v3', 'the last version')
    },
  },
  {
    name: 'returns false from put at another version and leaves the record unchanged',
    async run(records) {
      assertEqual(
        await records.put(key, textRecord('x'), 1),
        false,
        'put at version 1 of an unwritten key',
      )
      assertEqual(await records.get(key), undefined, 'the unwritten key')
      await records.put(key, textRecord('first'), 0)
      await records.put(key, textRecord('second'), 1)
      for (const version of [0, 1, 3, 20])
        assertEqual(
          await records.put(key, textRecord('x'), version),
          false,
          `put at version ${version}`,
        )
      assertEqual(await readText(records, 'a'), '2 second', 'the record')
    },
  },
  {
    name: 'lets exactly one of many concurrent writers of the same version win',
    async run(records) {
      for (const version of [0, 1, 2]) {
        const writers = Array.from({ length: 16 }, (_, index) =>
          records.put(key, textRecord(`w${index}`), version),
        )
        const outcomes = await settleAll(writers)
        assertEqual(outcomes.filter(Boolean).length, 1, `winners at version ${version}`)
        assertEqual(
          await readText(records, 'a'),
          `${version + 1} w${outcomes.indexOf(true)}`,
          'the record of the winner',
        )
      }
    },
  },
  {
    name: 'loses no update when concurrent writers retry on conflict',
    async run(records) {
      await records.put(key, textRecord('0'), 0)
      await settleAll(Array.from({ length: 32 }, () => incrementWithRetry(records)))
      assertEqual(await readText(records, 'a'), '33 32', 'the count')
    },
  },
  {
    name: 'deletes a record only at the expected version',
    async run(records) {
      assertEqual(await records.delete(key, 0), false, 'delete at version 0')
      assertEqual(await records.delete(key, 1), false, 'delete of an unwritten key')
      await records.put(key, textRecord('first'), 0)
      await records.put(key, textRecord('second'), 1)
      for (const version of [0, 1, 3])
        assertEqual(await records.delete(key, version), false, `delete at version ${version}`)
      assertEqual(await readText(records, 'a'), '2 second', 'the record')
      assertEqual(await records.delete(key, 2), true, 'delete at the current version')
      assertEqual(await records.get(key), undefined, 'the record afterwards')
    },
  },
  {
    name: 'says that nothing acknowledged can be rolled back, if it has canRollBack',
    async run(records) {
      if (records.canRollBack === undefined) return
      await records.put(key, textRecord('first'), 0)
      assertEqual(await records.canRollBack(), false, 'canRollBack after a put')
      await records.get(key)
      assertEqual(await records.canRollBack(), false, 'canRollBack after a get')
      await records.delete(key, 1)
      assertEqual(await records.canRollBack(), false, 'canRollBack after a delete')
    },
  },
  {
    name: 'starts at version 1 again after a delete',
    async run(records) {
      await records.put(key, textRecord('first'), 0)
      await records.put(key, textRecord('second'), 1)
      await records.delete(key, 2)
      assertEqual(await records.put(key, textRecord('x'), 2), false, 'put at the deleted version')
      assertEqual(
        await records.put(key, textRecord('again'), 0),
        true,
        'put at version 0 after the delete',
      )
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
        const outcomes = await settleAll(writerFirst ? [write(), remove()] : [remove(), write()])
        assertEqual(outcomes.filter(Boolean).length, 1, 'winners')
        const written = outcomes[writerFirst ? 0 : 1]
        assertEqual(
          await readText(records, id),
          written ? '2 second' : undefined,
          'the record afterwards',
        )
      }
    },
  },
  {
    name: 'keeps collections and ids separate, whatever printable characters they contain',
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
          assertEqual(
            await readText(records, id, collection),
            `1 ${collection}|${id}`,
            'the record',
          )
        assertEqual(
          (await records.list(collection, { limit: 50 })).length,
          names.length,
          'records of the collection',
        )
      }
    },
  },
  {
    name: 'does not modify the bytes passed to put',
    async run(records) {
      const body = new TextEncoder().encode('mine')
      await records.put(key, { body, indexKey: 'l' }, 0)
      await records.put(key, { body, indexKey: 'l' }, 1)
      assertEqual(body, new TextEncoder().encode('mine'), 'the bytes of the writer')
    },
  },
]

/** The promises of every record store, as cases. Run each case against a new, empty store. */
export const recordStoreContract: readonly ContractCase<RecordStore>[] = checkSubjects(
  [...recordWriteCases, ...recordListCases],
  anyStore.records,
  'records',
)

const key = { collection: 'c', id: 'a' }

async function incrementWithRetry(records: RecordStore): Promise<void> {
  for (let attempts = 0; attempts < 10_000; attempts++) {
    const stored = await records.get(key)
    const count = Number(new TextDecoder().decode(stored?.body)) + 1
    if (await records.put(key, textRecord(String(count)), stored?.version ?? 0)) return
  }
  throw new Error('a put returned false 10,000 times')
}
