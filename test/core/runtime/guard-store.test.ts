import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { undecryptableError } from '../../../src/base/fixed-errors.js'
import { createStoreGuard, guardStore } from '../../../src/core/runtime/guard-store.js'
import { StorageError, type VaultStore } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createFaultyStore } from '../../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../../support/bytes.js'

const guard = createStoreGuard(30_000)
const key = { collection: 'c', id: 'i' }
const driverError = Object.assign(new Error('duplicate row (SECRET)'), {
  name: 'DatabaseError',
  code: '23505',
  detail: 'SECRET',
})

const calls: [string, (store: VaultStore) => Promise<unknown>][] = [
  ['records.get', ({ records }) => records.get(key)],
  ['records.put', ({ records }) => records.put(key, { body: utf8('x') }, 0)],
  ['records.delete', ({ records }) => records.delete(key, 1)],
  ['records.list', ({ records }) => records.list('c', { limit: 1 })],
  ['blobs.read', ({ blobs }) => blobs.read('b')],
  ['blobs.write', ({ blobs }) => blobs.write('b', streamOf([]))],
  ['blobs.delete', ({ blobs }) => blobs.delete('b')],
]

describe('guardStore', () => {
  it.each(calls)('%s: rejects with a StorageError without text of the driver', async (_, call) => {
    expectClean(await errorOf(call(guardStore(failingStore(driverError), guard))))
    const throwing = new Proxy({} as never, {
      get: () => () => {
        throw driverError
      },
    })
    expectClean(await errorOf(call(guardStore({ records: throwing, blobs: throwing }, guard))))
  })

  it.each(calls)('%s: passes on an error of this library unchanged', async (_, call) => {
    const error = undecryptableError()
    expect(await errorOf(call(guardStore(failingStore(error), guard)))).toBe(error)
  })

  it.each(['SECRET', undefined, null, { message: 'SECRET' }])(
    'rejects with a StorageError when the store throws %j',
    async (thrown) => {
      const error = await errorOf(guardStore(failingStore(thrown), guard).records.get(key))
      expect(error).toBeInstanceOf(StorageError)
      expect(inspect(error)).not.toContain('SECRET')
    },
  )

  it('passes calls through to a working store', async () => {
    const inner = createMemoryStore()
    const { records, blobs } = guardStore(inner, guard)
    expect(await records.get(key)).toBeUndefined()
    expect(await records.put(key, { body: utf8('one'), indexKey: 'l' }, 0)).toBe(true)
    expect(await records.put(key, { body: utf8('two') }, 0)).toBe(false)
    expect(await records.get(key)).toEqual({ version: 1, body: utf8('one') })
    expect(await records.list('c', { limit: 9, indexKey: 'l' })).toHaveLength(1)
    expect(await records.list('c', { limit: 9, indexKey: 'm' })).toHaveLength(0)
    expect(await records.delete(key, 2)).toBe(false)
    expect(await records.delete(key, 1)).toBe(true)
    expect(await blobs.read('b')).toBeUndefined()
    await blobs.write('b', streamOf([utf8('te'), utf8('xt')]))
    const content = await blobs.read('b')
    expect(content && (await readBytes(content))).toEqual(utf8('text'))
    await blobs.delete('b')
    expect(await inner.blobs.read('b')).toBeUndefined()
  })
})

function failingStore(error: unknown): VaultStore {
  return createFaultyStore(createMemoryStore(), () => 'fail-before', error)
}

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable('expected a rejection'),
    (error: unknown) => error,
  )
}

/** Asserts that the cause has only the name and the code of the driver's error. */
function expectClean(error: unknown): void {
  expect(error).toBeInstanceOf(StorageError)
  expect(error).toMatchObject({ code: 'STORAGE_FAILED', status: 500, message: 'the store failed' })
  expect(error).toHaveProperty('cause.message', 'DatabaseError 23505')
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('SECRET')
}
