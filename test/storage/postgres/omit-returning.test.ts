import { describe, expect, it } from 'vitest'
import {
  createPostgresStore,
  type PostgresResult,
  type PreparedStatement,
} from '../../../src/storage/postgres.js'
import { utf8 } from '../../support/bytes.js'

const key = { collection: 'c', id: 'a' }
const record = { body: utf8('x') }
const written: PostgresResult = { rows: [{ version: 1 }], rowCount: 1 }

/** Returns the results in turn, and keeps the text of each statement. */
function openScripted(...results: PostgresResult[]) {
  const texts: string[] = []
  const client = {
    async query(statement: string | PreparedStatement): Promise<PostgresResult> {
      texts.push(typeof statement === 'string' ? statement : statement.text)
      return results.shift() ?? written
    },
  }
  const { records } = createPostgresStore(client, { prepare: true })
  const returning = (): boolean[] => texts.map((text) => text.includes('RETURNING'))
  return { records, returning }
}

describe('omitReturning', () => {
  it('leaves out RETURNING after the client has reported one written row', async () => {
    const { records, returning } = openScripted(written, { rows: [], rowCount: 1 })
    expect(await records.put(key, record, 0)).toBe(true)
    expect(await records.put(key, record, 1)).toBe(true)
    expect(returning()).toEqual([true, false])
  })

  it('returns false when the row count is 0', async () => {
    const { records } = openScripted(written, { rows: [], rowCount: 0 })
    await records.put(key, record, 0)
    expect(await records.delete(key, 7)).toBe(false)
  })

  it('keeps RETURNING after a write of no row', async () => {
    const { records, returning } = openScripted({ rows: [], rowCount: 0 })
    expect(await records.put(key, record, 1)).toBe(false)
    expect(await records.put(key, record, 0)).toBe(true)
    expect(returning()).toEqual([true, true])
  })

  it.each([undefined, null, 2])('keeps RETURNING when the row count is %s', async (rowCount) => {
    const { records, returning } = openScripted({ rows: [{ version: 1 }], rowCount })
    expect(await records.put(key, record, 0)).toBe(true)
    expect(await records.put(key, record, 1)).toBe(true)
    expect(returning()).toEqual([true, true])
  })

  it.each([undefined, null, 2, -1])(
    'rejects with a StorageError when a later row count is %s',
    async (rowCount) => {
      const { records } = openScripted(written, { rows: [], rowCount })
      await records.put(key, record, 0)
      await expect(records.put(key, record, 1)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    },
  )
})
