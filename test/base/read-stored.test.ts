import { describe, expect, it } from 'vitest'
import { readBlobIds, readIndexKey } from '../../src/base/read-stored.js'
import { createCaller, createVaultService, DecryptionError } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { utf8 } from '../support/bytes.js'

const caller = createCaller({ id: 'wendy', vaults: '*' })

describe('readIndexKey', () => {
  const emoji = `${'x'.repeat(127)}😀`

  it.each(['Home', '', emoji, 'Ünïcödé', 'ẞ'.repeat(99), 'ΣΑΣ', '"quoted"\n'])(
    'returns the index key that the vault service has written: %j',
    async (title) => {
      const indexKeys: (string | undefined)[] = []
      const memory = createMemoryStore()
      const put: typeof memory.records.put = (key, record, expectedVersion) => {
        if (/^(?:vaults|items)/.test(key.collection)) {
          indexKeys.push(record.indexKey)
          expect(readIndexKey(key.collection, record.body)).toBe(record.indexKey)
        }
        return memory.records.put(key, record, expectedVersion)
      }
      const service = createVaultService({
        store: { ...memory, records: { ...memory.records, put } },
      })
      const vault = await service.createVault(caller, { name: title || 'Home' })
      const item = { category: 'LOGIN', vault, title } as const
      await service.createItem(caller, { vaultId: vault.id, item })
      expect(indexKeys).toHaveLength(2)
    },
  )
})

describe('readBlobIds', () => {
  it.each([
    ['items/v', '{"blobs":{"a":"v/1","b":"v/2","c":3}}\n{}', ['v/1', 'v/2']],
    ['versions/v', '{"blobs":{"a":"v/1"}}\n{}', ['v/1']],
    ['items/v', '{"format":1,"deleted":true}\n{}', []],
    ['items/v', '{"blobs":null}\n{}', []],
    ['pending-blobs/v', '{"blobIds":["v/1",2]}', ['v/1']],
    ['pending-blobs/v', '{"blobIds":"v/1"}', []],
    ['vaults', '{"blobs":{"a":"v/1"}}', []],
    ['activity', '{', []],
    ['notes/v', '{"blobs":{"a":"v/1"}}', []],
  ])('returns those of a record in %s: %s', (collection, body, ids) => {
    expect(readBlobIds(collection, utf8(body))).toEqual(ids)
  })

  it('throws a DecryptionError without a quote when the record is damaged, as readIndexKey does', () => {
    const body = utf8('{"secret":"SWORDFISH"')
    for (const read of [readIndexKey, readBlobIds]) {
      expect(() => read('items/v', body)).toThrow(DecryptionError)
      expect(() => read('items/v', body)).not.toThrow(/SWORDFISH/)
    }
  })
})
