import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readBlobIds, readIndexKey } from '../../src/base/read-stored.js'
import {
  allKinds,
  collectionOf,
  collectionsOf,
  innerCollection,
  innerKey,
  isTombstone,
  itemRecords,
  keyRingRecords,
  kindOfCollection,
  leaseRecords,
  listStoreScopes,
  pendingBlobRecords,
  scopeOfBlob,
  scopeOfCollection,
  sealRingRecords,
  storeKinds,
  toIndexedRecord,
  toInnerBlobId,
  toOuterBlobId,
  vaultKinds,
  vaultRecords,
  versionRecords,
} from '../../src/base/stored-records.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { utf8 } from '../support/bytes.js'
import { copyWrites, encryptStore } from '../support/stores/encrypted-stores.js'
import { useEveryForm } from '../support/stores/use-every-form.js'

const anyScope = fc.string({ unit: 'grapheme-ascii', minLength: 1 })

describe('allKinds', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it('has each kind that is stored, and no other', async () => {
    const inner = copyWrites(createMemoryStore())
    await useEveryForm(encryptStore(inner), inner.records)
    const found = new Set(inner.written.map(({ collection }) => kindOfCollection(collection)))
    expect([...found].map((kind) => kind?.collection).sort()).toEqual(
      allKinds.map(({ collection }) => collection).sort(),
    )
  })

  it('has the lines, the index keys and the blobs of what is stored', async () => {
    const plain = copyWrites(createMemoryStore())
    await useEveryForm(plain, plain.records)
    const blobIds = plain.contents.map(({ id }) => id)
    for (const { collection, body, indexKey } of plain.written) {
      const lines = new TextDecoder().decode(body).split('\n')
      expect(lines).toHaveLength(kindOfCollection(collection)?.lines ?? 0)
      expect(readIndexKey(collection, body)).toBe(indexKey)
    }
    const named = new Set(
      plain.written.flatMap(({ collection, body }) => readBlobIds(collection, body)),
    )
    for (const id of blobIds) expect(named).toContain(id)
  })

  it('keeps blobs only where it names them', () => {
    expect(allKinds.filter(({ keepsBlobs }) => keepsBlobs)).toEqual([itemRecords])
    expect(allKinds.filter(({ blobIdsOf }) => blobIdsOf)).toEqual([
      itemRecords,
      versionRecords,
      pendingBlobRecords,
    ])
  })

  it('has the exact tombstones', () => {
    const texts = allKinds.flatMap(({ collection, tombstoneOf }) =>
      tombstoneOf ? [[collection, new TextDecoder().decode(tombstoneOf('a"'))]] : [],
    )
    expect(texts).toEqual([
      ['vaults', '{"id":"a\\"","deleted":true}'],
      ['items/{vaultId}', '{"format":1,"deleted":true}\n{}'],
      ['credentials/{vaultId}', '{"deleted":true}'],
    ])
  })

  it('has the scope that its collection says, except for key rings', () => {
    for (const { collection, scope } of [...vaultKinds, ...storeKinds])
      expect(scope).toBe(scopeOfCollection(collection))
    const others = allKinds.filter(({ scope }) => scope === undefined)
    expect(others).toEqual([keyRingRecords, sealRingRecords])
    expect([...vaultKinds, ...storeKinds, ...others]).toHaveLength(allKinds.length)
    expect(new Set([...vaultKinds, ...storeKinds, ...others])).toEqual(new Set(allKinds))
  })
})

describe('kindOfCollection', () => {
  it('returns the kind of each collection of any vault', () => {
    fc.assert(
      fc.property(anyScope, (vaultId) => {
        for (const kind of vaultKinds) {
          const collection = collectionOf(kind, vaultId)
          expect(kindOfCollection(collection)).toBe(kind)
          expect(collection.endsWith(`/${vaultId}`)).toBe(true)
        }
      }),
    )
    for (const kind of storeKinds) expect(kindOfCollection(kind.collection)).toBe(kind)
  })

  it.each([
    '',
    'items',
    'items/',
    'item/a',
    'vaults/a',
    'health',
    'health/a',
    'keys/keys',
    'notes',
  ])('returns undefined for %j', (collection) => {
    expect(kindOfCollection(collection)).toBeUndefined()
  })
})

describe('collectionsOf', () => {
  it('returns all collections of a scope', () => {
    expect(collectionsOf('vaults')).toEqual(['vaults', 'copy/vaults'])
    expect(collectionsOf('activity')).toEqual(['activity', 'health/activity'])
    expect(collectionsOf('leases')).toEqual(['leases'])
    expect([...listStoreScopes()]).toEqual(['vaults', 'activity', 'leases'])
    expect(collectionsOf('v')).toEqual([
      'v',
      'items/v',
      'versions/v',
      'pending-blobs/v',
      'credentials/v',
    ])
  })

  it('returns collections of exactly this scope', () => {
    fc.assert(
      fc.property(anyScope, (scope) => {
        fc.pre(!scope.includes('/'))
        for (const collection of collectionsOf(scope))
          expect(scopeOfCollection(collection)).toBe(scope)
      }),
    )
  })
})

describe('scopeOfCollection', () => {
  it.each([
    ['items/v', 'v'],
    ['vaults', 'vaults'],
    ['a/', 'a/'],
    ['a/b/c', 'b/c'],
  ])('of %s is %s', (collection, scope) => {
    expect(scopeOfCollection(collection)).toBe(scope)
  })
})

describe('toIndexedRecord', () => {
  it('has an index key only if the content has one', () => {
    const body = utf8('x')
    expect(toIndexedRecord(itemRecords, body, { title: 'Mail' })).toEqual({
      body,
      indexKey: 'mail',
    })
    expect(toIndexedRecord(itemRecords, body, {})).toEqual({ body })
  })
})

describe('isTombstone', () => {
  it('returns true for exactly the bytes that replace the record', () => {
    expect(isTombstone(vaultRecords, 'v', vaultRecords.tombstoneOf('v'))).toBe(true)
    expect(isTombstone(vaultRecords, 'w', vaultRecords.tombstoneOf('v'))).toBe(false)
    expect(isTombstone(vaultRecords, 'v', utf8('{"deleted":true,"id":"v"}'))).toBe(false)
    expect(isTombstone(itemRecords, 'i', itemRecords.tombstoneOf())).toBe(true)
    expect(isTombstone(itemRecords, 'i', vaultRecords.tombstoneOf('i'))).toBe(false)
    expect(isTombstone(leaseRecords, 'l', itemRecords.tombstoneOf())).toBe(false)
  })

  it('finds the tombstone of every vault id, which is short', () => {
    const id = 'z'.repeat(26)
    expect(isTombstone(vaultRecords, id, vaultRecords.tombstoneOf(id))).toBe(true)
  })
})

describe('scopeOfBlob', () => {
  it.each([
    ['v/a', 'v'],
    ['a', 'a'],
    ['/a', '/a'],
  ])('of %s is %s', (id, scope) => {
    expect(scopeOfBlob(id)).toBe(scope)
  })
})

describe('innerCollection', () => {
  it.each([
    ['items/v', 'items/v'],
    ['keys', 'keys/keys'],
    ['keys/a', 'keys/keys/a'],
    ['keysx', 'keysx'],
  ])('of %s is %s, so that only key rings are in keys', (collection, inner) => {
    expect(innerCollection(collection)).toBe(inner)
    expect(innerKey({ collection, id: 'a' })).toEqual({ collection: inner, id: 'a' })
  })
})

describe('toOuterBlobId', () => {
  it('returns the id of a blob that is encrypted or not', () => {
    expect(toInnerBlobId('v/a')).toBe('v/a.sealed')
    expect(toOuterBlobId('v/a.sealed')).toBe('v/a')
    expect(toOuterBlobId('v/a')).toBe('v/a')
  })
})
