import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
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
  connectPrisma,
  connectTypeOrm,
  type Integration,
  type Library,
  tables,
  useDrizzle,
  useKysely,
  usePg,
  usePrisma,
  useTypeOrm,
} from '../support/seal/libraries.js'
import {
  createTestSchema,
  databaseUrl,
  skippedSuffix,
  type TestSchema,
} from '../support/stores/postgres.js'

const rowCount = 500
const pageSize = 100
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

let schema: TestSchema
let pool: pg.Pool
let time = Date.UTC(2026, 0, 1)
const keys = createKeys()
const names = ['pg', 'Drizzle', 'Kysely', 'TypeORM', 'Prisma'] as const
let libraries: Readonly<Record<(typeof names)[number], Library>>
const ends: (() => Promise<unknown>)[] = []

/** Starts a process: a sealer with its own pool. */
function startSealer(): Sealer {
  const store = createPostgresStore(schema.connect(), { schema: schema.schema })
  return createSealer(store.records, { keys, legacy: [legacy], now: () => new Date(time) })
}

const isServer = databaseUrl !== undefined

describe.runIf(isServer)(`createSealer on PostgreSQL${skippedSuffix}`, { timeout: 120_000 }, () => {
  beforeAll(async () => {
    schema = await createTestSchema()
    pool = schema.connect({ options: `-c search_path=${schema.schema}` })
    await migratePostgres(pool, { schema: schema.schema })
    await pool.query(tables)
    const [source, { prisma, remove }] = await Promise.all([
      connectTypeOrm(schema.schema),
      connectPrisma(schema.schema),
    ])
    ends.push(() => source.destroy(), remove)
    libraries = {
      pg: usePg(pool),
      Drizzle: useDrizzle(pool),
      Kysely: useKysely(pool),
      TypeORM: useTypeOrm(source),
      Prisma: usePrisma(prisma),
    }
  }, 120_000)

  afterAll(async () => {
    for (const end of ends) await end()
    await schema.remove()
  })

  beforeEach(() => pool.query('TRUNCATE integrations'))

  describe.each(names)('with %s', (name) => {
    const library = (): Library => libraries[name]

    it('opens a value in its row, column and scope only', async () => {
      const sealers = [startSealer(), startSealer()] as const
      const cells = ['acme', 'globex'].flatMap((account) =>
        ['token', 'refresh'].flatMap((column) => [1n, 2n].map((row) => ({ account, column, row }))),
      )
      const columnAt = async (sealer: Sealer, { account, column }: (typeof cells)[number]) =>
        (await sealer.box(account)).column('integrations', column)
      for (const [index, cell] of cells.entries()) {
        const token = (await columnAt(sealers[0], cell)).row(cell.row).seal(`secret ${index}`)
        await library().insert({ id: BigInt(index + 1), account: cell.account, token })
      }
      const opened: string[] = []
      for (const cell of cells) {
        const column = await columnAt(sealers[1], cell)
        for (const { id, token } of await library().list(0n, cells.length))
          if (opens(column, cell.row, token))
            opened.push(`${id} ${column.row(cell.row).open(token)}`)
      }
      expect(opened).toEqual(cells.map((_, index) => `${index + 1} secret ${index}`))
    })

    it('opens what two processes write beside rotations', async () => {
      const writers = [startSealer(), startSealer()]
      const [rotator, reader] = [startSealer(), startSealer()]
      for (const id of [1n, 2n]) {
        const token = (await columnOf(rotator)).row(id).seal('first')
        await library().insert({ id, account: 'acme', token })
      }
      const turns = [0, 0]
      let isDone = false
      const failed: unknown[] = []
      const write = async (sealer: Sealer, index: number): Promise<void> => {
        const own = BigInt(index + 1)
        while (!isDone) {
          const column = await columnOf(sealer)
          const turn = (turns[index] ?? 0) + 1
          await library().update(own, column.row(own).seal(`value ${turn}`))
          turns[index] = turn
          for (const id of [1n, 2n]) {
            const row = await library().find(id)
            if (!opens(column, id, row?.token ?? '')) failed.push(row)
          }
        }
      }
      const rotate = async (): Promise<void> => {
        for (let rotations = 0; rotations < 3; rotations++) {
          const before = [...turns]
          while (turns.some((turn, index) => turn < (before[index] ?? 0) + 3))
            await new Promise(setImmediate)
          time += hourMs
          expect(await rotator.rotateDataKeys()).toBe(2)
        }
      }
      const rotating = rotate().finally(() => {
        isDone = true
      })
      await Promise.all([rotating, ...writers.map(write)])
      expect(failed).toEqual([])
      const column = await columnOf(reader)
      for (const [index, turn] of turns.entries()) {
        const row = await library().find(BigInt(index + 1))
        expect(column.row(index + 1).open(row?.token ?? '')).toBe(`value ${turn}`)
      }
    })

    it('loses no value of rows in another format that are swept beside a writer and rotations', async () => {
      const ids = Array.from({ length: rowCount }, (_, index) => index + 1)
      const before = ids.map((id) => encryptAsBefore(`first ${id}`))
      await pool.query(
        "INSERT INTO integrations SELECT id, 'acme', token FROM unnest($1::bigint[], $2::text[]) AS old (id, token)",
        [ids, before],
      )
      const [sweeper, writer, rotator] = [startSealer(), startSealer(), startSealer()]
      const written = new Map<number, string>()
      let isSwept = false

      const sweep = async (): Promise<void> => {
        for (let page: readonly Integration[] = [], after = 0n; ; after += BigInt(pageSize)) {
          page = await library().list(after, pageSize)
          if (page.length === 0) return
          for (const { id, account, token } of page) {
            const sealed = await sweeper.reseal(account, ['integrations', 'token', id], token)
            if (sealed !== undefined) await library().replace(BigInt(id), sealed, token)
          }
        }
      }
      const write = async (): Promise<void> => {
        for (let id = 1; !isSwept; id = (id % (rowCount - 97)) + 97) {
          const column = await columnOf(writer)
          const value = `second ${id}`
          await library().update(BigInt(id), column.row(id).seal(value))
          written.set(id, value)
        }
      }
      const sweepAll = async (): Promise<void> => {
        for (let rotations = 0; rotations < 2; rotations++) {
          await sweep()
          time += hourMs
          expect(await rotator.rotateDataKeys()).toBe(2)
        }
        // Both see the ring at their next use.
        await sweep()
        isSwept = true
      }
      await Promise.all([sweepAll(), write()])

      const column = await columnOf(startSealer())
      const rows = await library().list(0n, rowCount)
      const wrong = rows.filter(
        ({ id, token }) =>
          column.row(id).open(token) !== (written.get(Number(id)) ?? `first ${id}`),
      )
      expect(rows).toHaveLength(rowCount)
      expect(written.size).toBeGreaterThan(10)
      expect(wrong).toEqual([])
      // A damaged row hurts only itself.
      await library().update(1n, `${rows[0]?.token}A` as Sealed)
      const damaged = await library().list(0n, rowCount)
      const failed = damaged.filter(({ id, token }) => !opens(column, id, token))
      expect(failed.map(({ id }) => `${id}`)).toEqual(['1'])
    })

    it('cannot write a plain value where the column has a constraint', async () => {
      await addConstraint()
      const column = await columnOf(startSealer())
      const row = { id: 1n, account: 'acme' }
      await expect(library().insert({ ...row, token: 'plain' as Sealed })).rejects.toThrow()
      await library().insert({ ...row, token: column.row(1).seal('secret') })
      await expect(library().update(1n, 'plain' as Sealed)).rejects.toThrow()
      expect(column.row(1).open((await library().find(1n))?.token ?? '')).toBe('secret')
    })
  })

  it('seals and opens in a transaction that has the only connection, with a box loaded before', async () => {
    const single = schema.connect({ max: 1, options: `-c search_path=${schema.schema}` })
    const { records } = createPostgresStore(single, { schema: schema.schema })
    const column = await columnOf(createSealer(records, { keys }))
    const client = await single.connect()
    await client.query('BEGIN')
    await client.query("INSERT INTO integrations VALUES (1, 'acme', $1)", [
      column.row(1).seal('secret'),
    ])
    const { rows } = await client.query('SELECT token FROM integrations')
    expect(column.row(1).open(rows[0].token)).toBe('secret')
    await client.query('COMMIT')
    client.release()
  })

  async function addConstraint(): Promise<void> {
    const constraint = "ADD CONSTRAINT sealed CHECK (token LIKE 'coffer1.%') NOT VALID"
    await pool.query(`ALTER TABLE integrations ${constraint}`)
    onTestFinished(async () => {
      await pool.query('ALTER TABLE integrations DROP CONSTRAINT sealed')
    })
  }
})

async function columnOf(sealer: Sealer): Promise<SealedColumn> {
  return (await sealer.box('acme')).column('integrations', 'token')
}

/** Returns false if the value is a DecryptionError. */
function opens(column: SealedColumn, id: bigint | string, token: string): boolean {
  try {
    column.row(id).open(token)
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(DecryptionError)
    return false
  }
}
