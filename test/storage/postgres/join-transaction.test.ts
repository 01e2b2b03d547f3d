import { describe, expect, it } from 'vitest'
import type { StorageError } from '../../../src/errors.js'
import { createPostgresStore } from '../../../src/storage/postgres.js'

const key = { collection: 'items/v', id: 'a' }

/** The records of a store in a transaction, whose statements are answered by `answer`. */
function joinTransaction(answer: (text: string) => unknown = () => []) {
  const statements: string[] = []
  const pool = { query: () => Promise.reject(new Error('the pool must not be used')) }
  const store = createPostgresStore(pool, { schema: 'vaults' })
  const client = {
    async query(text: string) {
      statements.push(text)
      return { rows: answer(text) as readonly unknown[] }
    },
  }
  return { pool, store, records: store.records.inTransaction?.(client), statements }
}

describe('inTransaction of a PostgreSQL store', () => {
  it('refuses the client of the store, and what is no client', () => {
    const { store, pool } = joinTransaction()
    expect(() => store.records.inTransaction?.(pool)).toThrow(
      new TypeError('client must be in a transaction, and not the client of the store'),
    )
    expect(() => store.records.inTransaction?.({} as never)).toThrow(TypeError)
  })

  it('runs every statement on the client, the first one after a lock that needs a transaction', async () => {
    const { records, statements } = joinTransaction()
    await records?.get(key)
    await records?.list(key.collection, { limit: 1 })
    expect(statements).toHaveLength(3)
    expect(statements[0]).toBe('LOCK TABLE "vaults"."cofferkit_records" IN ACCESS SHARE MODE')
  })

  it('locks the record of a vault, and no other', async () => {
    const { records, statements } = joinTransaction()
    await records?.get(key)
    await records?.get({ collection: 'vaults', id: 'v' })
    expect(statements.map((text) => text.endsWith('FOR SHARE'))).toEqual([false, false, true])
  })

  it.each([
    ['40001', { code: 'CONFLICT', reason: 'races', cause: { code: '40001' } }],
    ['40P01', { code: 'CONFLICT', reason: 'races', cause: { code: '40P01' } }],
    ['25P01', { code: 'STORAGE_FAILED', message: 'the client is not in a transaction: begin one' }],
    [
      '25P02',
      {
        code: 'STORAGE_FAILED',
        message: 'an earlier statement of the transaction has failed: roll it back',
      },
    ],
    ['08006', { code: 'STORAGE_UNAVAILABLE' }],
  ])('converts an error of SQLSTATE %s, and does not try again', async (code, expected) => {
    const { records, statements } = joinTransaction((text) => {
      if (text.startsWith('LOCK')) return []
      const cause = Object.assign(new Error('row (secret)'), { code })
      throw new Error('failed query', { cause })
    })
    const error: unknown = await records?.get(key).catch((reason: unknown) => reason)
    expect(error).toMatchObject(expected)
    expect(String((error as StorageError).cause)).not.toContain('secret')
    expect(statements).toHaveLength(2)
  })
})
