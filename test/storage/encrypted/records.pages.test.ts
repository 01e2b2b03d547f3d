import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { walkPages } from '../../../src/base/walk-pages.js'
import { DecryptionError, type RecordQuery, type VaultStore } from '../../../src/index.js'
import { createEncryptedStore } from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { createKeys, encryptStore } from '../../support/stores/encrypted-stores.js'

const collection = 'items/v1'
const indexKey = 'mail'

describe('createEncryptedRecords', () => {
  it('lists every record once in pages limited by maxBytes, also by index key and with plaintext', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ length: fc.integer({ min: 1, max: 200 }), isPlain: fc.boolean() }), {
          maxLength: 30,
        }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 500 }),
        fc.boolean(),
        async (bodies, limit, maxBytes, isLabelled) => {
          const inner = createMemoryStore()
          const store = createEncryptedStore(inner, {
            keys: createKeys(),
            acceptsPlaintext: true,
          })
          for (const [index, { length, isPlain }] of bodies.entries()) {
            const record = { body: new Uint8Array(length).fill(0x7b), indexKey }
            const { records } = isPlain ? inner : store
            await records.put({ collection, id: idOf(index) }, record, 0)
          }
          const ids: string[] = []
          const list = (page: RecordQuery) => store.records.list(collection, page)
          const page = { limit, maxBytes, ...(isLabelled && { indexKey }) }
          for await (const { id } of walkPages(list, page)) ids.push(id)
          expect(ids).toEqual(bodies.map((_, index) => idOf(index)))
        },
      ),
      { numRuns: propertyRuns(30) },
    )
  })

  it('decrypts no record after the last one of a page', async () => {
    const inner = createMemoryStore()
    const store = encryptStore(inner)
    for (let index = 0; index < 3; index++)
      await store.records.put({ collection, id: idOf(index) }, { body: new Uint8Array(100) }, 0)
    const broken = { collection, id: idOf(2) }
    await inner.records.put(broken, { body: new Uint8Array(100) }, 1)
    expect(await store.records.list(collection, { limit: 9, maxBytes: 101 })).toHaveLength(2)
    const rows = await store.records.list(collection, { limit: 9, maxBytes: 201 })
    expect(rows[2]?.unreadable).toBeInstanceOf(DecryptionError)
  })

  it('yields to the event loop before it decrypts each large record', async () => {
    const store = encryptStore()
    for (let index = 0; index < 5; index++)
      await store.records.put({ collection, id: idOf(index) }, { body: new Uint8Array(300_000) }, 0)
    let turns = 0
    const count = (): void => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    expect(await store.records.list(collection, { limit: 9 })).toHaveLength(5)
    clearImmediate(timer)
    expect(turns).toBeGreaterThanOrEqual(5)
  })

  it('re-encrypts records in pages limited by bytes', async () => {
    const inner = createMemoryStore()
    const pages: RecordQuery[] = []
    const list: VaultStore['records']['list'] = (name, page) => {
      pages.push(page)
      return inner.records.list(name, page)
    }
    const watched = { ...inner, records: { ...inner.records, list } }
    const store = createEncryptedStore(watched, { keys: createKeys() })
    for (let index = 0; index < 5; index++)
      await store.records.put({ collection, id: idOf(index) }, { body: new Uint8Array(900_000) }, 0)
    await store.rotateDataKeys()
    expect(await store.reencrypt()).toMatchObject({ records: 5 })
    expect(pages.filter(({ maxBytes }) => maxBytes !== 2_097_152)).toEqual([])
    expect(pages.filter(({ after }) => after?.startsWith('id'))).toHaveLength(1)
  })
})

function idOf(index: number): string {
  return `id-${String(index).padStart(3, '0')}`
}
