import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { bigint, pgTable, text } from 'drizzle-orm/pg-core'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DecryptionError } from '../../../src/index.js'
import {
  createSealer,
  type LegacyFormat,
  type Sealed,
  type SealedColumn,
  type Sealer,
} from '../../../src/seal.js'
import { createPostgresStore, migratePostgres } from '../../../src/storage/postgres.js'
import { createKeys } from '../../support/stores/encrypted-stores.js'
import {
  createTestSchema,
  databaseUrl,
  skippedSuffix,
  type TestSchema,
} from '../support/stores/postgres.js'

const rowCount = 2_000
const pageSize = 500
const hourMs = 3_600_000

const legacyKey = randomBytes(32)
/** AES-256-GCM as `iv:ciphertext:tag` in hexadecimal: the form of many helpers. */
const legacy: LegacyFormat = {
  matches: (stored) => /^[\da-f]{24}:[\da-f]*:[\da-f]{32}$/.test(stored),
  open(stored) {
    const [iv, ciphertext, tag] = stored.split(':').map((part) => Buffer.from(part, 'hex'))
    const decipher = createDecipheriv('aes-256-gcm', legacyKey, iv ?? '')
    decipher.setAuthTag(tag ?? Buffer.alloc(0))
    return decipher.update(ciphertext ?? Buffer.alloc(0)).toString() + decipher.final().toString()
  },
}

function encryptAsBefore(value: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', legacyKey, iv)
  const ciphertext = Buffer.concat([cipher.update(value), cipher.final()])
  return [iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('hex')).join(':')
}

interface IntegrationTable {
  id: string
  token: Sealed
}

let schema: TestSchema
let pool: pg.Pool
let time = Date.UTC(2026, 0, 1)
const keys = createKeys()

/** Starts a process: a sealer with a pool of its own. */
function startSealer(): Sealer {
  const store = createPostgresStore(schema.connect(), { schema: schema.schema })
  return createSealer(store.records, { keys, legacy: [legacy], now: () => new Date(time) })
}

describe.runIf(databaseUrl !== undefined)(`createSealer on PostgreSQL${skippedSuffix}`, () => {
  beforeAll(async () => {
    schema = await createTestSchema()
    pool = schema.connect({ options: `-c search_path=${schema.schema}` })
    await migratePostgres(pool, { schema: schema.schema })
    await pool.query('CREATE TABLE integrations (id bigserial PRIMARY KEY, token text NOT NULL)')
  })

  afterAll(() => schema.remove())

  const table = pgTable('integrations', {
    id: bigint({ mode: 'bigint' }).primaryKey(),
    token: text().$type<Sealed>().notNull(),
  })

  /** Writes a value to a row, and reads the column of a row, as each library does it. */
  const libraries = {
    pg: {
      write: (id: bigint, token: Sealed) =>
        pool.query('INSERT INTO integrations VALUES ($1, $2)', [id, token]),
      read: async (id: bigint) =>
        (await pool.query('SELECT id, token FROM integrations WHERE id = $1', [id])).rows[0],
    },
    Drizzle: {
      write: (id: bigint, token: Sealed) => drizzle(pool).insert(table).values({ id, token }),
      read: async (id: bigint) =>
        (await drizzle(pool).select().from(table).where(sql`id = ${id}`))[0],
    },
    Kysely: {
      write: (id: bigint, token: Sealed) =>
        kysely()
          .insertInto('integrations')
          .values({ id: `${id}`, token })
          .execute(),
      read: (id: bigint) =>
        kysely()
          .selectFrom('integrations')
          .selectAll()
          .where('id', '=', `${id}`)
          .executeTakeFirst(),
    },
  }
  const kysely = () =>
    new Kysely<{ integrations: IntegrationTable }>({ dialect: new PostgresDialect({ pool }) })

  it.each(Object.entries(libraries))(
    'opens in one process what another has sealed and written with %s',
    async (_, { write, read }) => {
      await pool.query('DELETE FROM integrations')
      const [one, other] = await Promise.all([columnOf(startSealer()), columnOf(startSealer())])
      for (const id of [1n, 2n]) await write(id, one.seal(id, `secret ${id}`))
      const row = await read(1n)
      expect(other.open(row?.id ?? '', row?.token ?? '')).toBe('secret 1')
      // Whoever can write to the table cannot move a value to another row.
      await pool.query(
        'UPDATE integrations SET token = (SELECT token FROM integrations WHERE id = 2)',
      )
      const moved = await read(1n)
      expect(() => other.open(1n, moved?.token ?? '')).toThrow(DecryptionError)
      expect(other.open(2n, (await read(2n))?.token ?? '')).toBe('secret 2')
    },
  )

  it('is needed for a column with a constraint, which refuses a plain value', async () => {
    await pool.query('DELETE FROM integrations')
    const constraint = "ADD CONSTRAINT sealed CHECK (token LIKE 'coffer1.%') NOT VALID"
    await pool.query(`ALTER TABLE integrations ${constraint}`)
    await expect(pool.query("INSERT INTO integrations VALUES (1, 'plain')")).rejects.toThrow(
      /sealed/,
    )
    const column = await columnOf(startSealer())
    await pool.query('INSERT INTO integrations VALUES (1, $1)', [column.seal(1, 'secret')])
    await pool.query('ALTER TABLE integrations DROP CONSTRAINT sealed')
  })

  it('seals and opens in a transaction that has the only connection, with a box loaded before', async () => {
    await pool.query('DELETE FROM integrations')
    const single = schema.connect({ max: 1, options: `-c search_path=${schema.schema}` })
    const { records } = createPostgresStore(single, { schema: schema.schema })
    const column = await columnOf(createSealer(records, { keys }))
    const client = await single.connect()
    await client.query('BEGIN')
    await client.query('INSERT INTO integrations VALUES (1, $1)', [column.seal(1, 'secret')])
    const { rows } = await client.query('SELECT token FROM integrations')
    expect(column.open(1, rows[0].token)).toBe('secret')
    await client.query('COMMIT')
    client.release()
  })

  it('loses no value of rows in another format that are swept beside a writer and rotations', async () => {
    await pool.query('TRUNCATE integrations')
    const ids = Array.from({ length: rowCount }, (_, index) => index + 1)
    const before = ids.map((id) => encryptAsBefore(`first ${id}`))
    await pool.query('INSERT INTO integrations SELECT * FROM unnest($1::bigint[], $2::text[])', [
      ids,
      before,
    ])
    const [sweeper, writer, rotator] = [startSealer(), startSealer(), startSealer()]
    const written = new Map<number, string>()
    let isSwept = false

    const sweep = async (): Promise<number> => {
      let changed = 0
      for (let after = 0; ; after += pageSize) {
        const page = await readPage(after)
        if (page.length === 0) return changed
        for (const { id, token } of page) {
          const sealed = await sweeper.reseal('acme', ['integrations', 'token', id], token)
          if (sealed === undefined) continue
          const update = 'UPDATE integrations SET token = $1 WHERE id = $2 AND token = $3'
          changed += (await pool.query(update, [sealed, id, token])).rowCount ?? 0
        }
      }
    }
    const write = async (): Promise<void> => {
      for (let id = 1; !isSwept; id = (id % rowCount) + 97) {
        const column = await columnOf(writer)
        const value = `second ${id}`
        const update = 'UPDATE integrations SET token = $1 WHERE id = $2'
        await pool.query(update, [column.seal(id, value), id])
        written.set(id, value)
      }
    }
    const sweepAll = async (): Promise<void> => {
      for (let rotations = 0; rotations < 2; rotations++) {
        await sweep()
        time += hourMs
        expect(await rotator.rotateDataKeys()).toBe(1)
      }
      // Both see the ring at their next use.
      await sweep()
      isSwept = true
    }
    await Promise.all([sweepAll(), write()])

    const column = await columnOf(startSealer())
    const wrong = []
    for (const { id, token } of await readPage(0, rowCount))
      if (column.open(id, token) !== (written.get(Number(id)) ?? `first ${id}`)) wrong.push(id)
    expect(written.size).toBeGreaterThan(10)
    expect(wrong).toEqual([])
    const damaged = `${(await readPage(0, 1))[0]?.token}A`
    await pool.query('UPDATE integrations SET token = $1 WHERE id = 1', [damaged])
    const failed = (await readPage(0, rowCount)).filter(
      ({ id, token }) => !opens(column, id, token),
    )
    expect(failed.map(({ id }) => id)).toEqual(['1'])
  }, 120_000)

  async function readPage(after: number, limit = pageSize): Promise<IntegrationTable[]> {
    const page = 'SELECT id, token FROM integrations WHERE id > $1 ORDER BY id LIMIT $2'
    return (await pool.query(page, [after, limit])).rows
  }
})

async function columnOf(sealer: Sealer): Promise<SealedColumn> {
  return (await sealer.box('acme')).column('integrations', 'token')
}

function opens(column: SealedColumn, id: string, token: string): boolean {
  try {
    column.open(id, token)
    return true
  } catch {
    return false
  }
}
