import { describe, expect, it } from 'vitest'
import { createPostgresStore, type PostgresClient } from '../../src/storage/postgres.js'

/** Returns a client that answers every statement with these rows, and a list of its statements. */
function answering(...rows: readonly Record<string, unknown>[]) {
  const statements: unknown[] = []
  const client: PostgresClient = {
    async query(text, values) {
      statements.push([text, values])
      return { rows: [...rows] }
    },
  }
  return { client, statements }
}

describe('createPostgresStore', () => {
  it.each([
    [0, false],
    [1, true],
  ])('tells whether the tables exist when the server counts %i', async (count, expected) => {
    const { client, statements } = answering({ count })
    const store = createPostgresStore(client, { schema: 'vaults', tablePrefix: 'app_' })
    expect(await store.hasTables()).toBe(expected)
    expect(statements).toEqual([
      [expect.stringContaining('to_regclass'), ['"vaults"."app_records"']],
    ])
  })

  it('lists the ids of all contents of files', async () => {
    const { client, statements } = answering({ id: 'v/a' }, { id: 'v/b' })
    const store = createPostgresStore(client, { schema: 'vaults' })
    expect(await store.listBlobIds()).toEqual(['v/a', 'v/b'])
    expect(statements).toEqual([['SELECT id FROM "vaults"."cofferkit_blobs"', []]])
  })

  it('finds the schemas that have tables with its prefix', async () => {
    const { client, statements } = answering({ name: 'one' }, { name: 'two' })
    const store = createPostgresStore(client, { tablePrefix: 'app_' })
    expect(await store.findSchemas()).toEqual(['one', 'two'])
    expect(statements).toEqual([
      [expect.stringContaining('information_schema.tables'), ['app_records']],
    ])
  })
})
