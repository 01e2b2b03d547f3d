import type pg from 'pg'
import type { DataSource } from 'typeorm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sealTokens } from '../../../examples/seal-prisma.js'
import { TokenSubscriber } from '../../../examples/seal-typeorm.js'
import { createSealer, type SealedBox, type Sealer } from '../../../src/seal.js'
import { createPostgresStore, migratePostgres } from '../../../src/storage/postgres.js'
import { createKeys } from '../../support/stores/encrypted-stores.js'
import {
  accountEntity,
  connectPrisma,
  connectTypeOrm,
  integrationEntity,
  type Prisma,
  tables,
} from '../support/seal/libraries.js'
import {
  createTestSchema,
  databaseUrl,
  skippedSuffix,
  type TestSchema,
} from '../support/stores/postgres.js'

let schema: TestSchema
let pool: pg.Pool
let sealer: Sealer
let box: SealedBox

describe.runIf(databaseUrl !== undefined)(
  `hooks of ORMs${skippedSuffix}`,
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      schema = await createTestSchema()
      pool = schema.connect({ options: `-c search_path=${schema.schema}` })
      await migratePostgres(pool, { schema: schema.schema })
      await pool.query(tables)
      const { records } = createPostgresStore(pool, { schema: schema.schema })
      sealer = createSealer(records, { keys: createKeys() })
      box = await sealer.box('acme')
    })
    beforeEach(async () => {
      await pool.query('ALTER TABLE integrations DROP CONSTRAINT IF EXISTS sealed')
      await pool.query('TRUNCATE integrations')
    })
    afterAll(() => schema.remove())

    type Writes = Readonly<Record<string, () => Promise<unknown>>>

    /** Returns how each write leaves the token of row 1, or the name of the error that refuses it. */
    async function tryWrites(writes: Writes): Promise<Readonly<Record<string, string>>> {
      const outcomes: Record<string, string> = {}
      for (const [name, write] of Object.entries(writes)) {
        await prepare(name)
        outcomes[name] = await write().then(readToken, (error) => error.name)
      }
      return outcomes
    }
    async function expectRefused(writes: Writes): Promise<void> {
      await pool.query(
        "ALTER TABLE integrations ADD CONSTRAINT sealed CHECK (token LIKE 'coffer1.%') NOT VALID",
      )
      for (const [name, write] of Object.entries(writes)) {
        await prepare(name)
        await expect(write(), name).rejects.toThrow()
      }
    }
    /** Empties the table, and inserts row 1 unless the write does that. */
    async function prepare(name: string): Promise<void> {
      await pool.query('TRUNCATE integrations')
      if (/create|insert/i.test(name)) return
      const token = box.seal(['integrations', 'token', 1], 'first')
      await pool.query("INSERT INTO integrations VALUES (1, 'acme', $1)", [token])
    }
    async function readToken(): Promise<string> {
      const { rows } = await pool.query('SELECT token FROM integrations WHERE id = 1')
      const { token } = rows[0]
      if (token === 'plain') return token
      return box.open(['integrations', 'token', 1], token) === 'plain' ? 'sealed' : 'unchanged'
    }

    describe('an extension of Prisma', () => {
      let prisma: Prisma
      let end: () => Promise<void>
      beforeAll(async () => {
        const connected = await connectPrisma(schema.schema)
        prisma = connected.prisma.$extends(sealTokens(box))
        end = connected.remove
      }, 120_000)
      afterAll(() => end())

      const row = { id: 1n, account: 'acme', token: 'plain' }
      const data = { token: 'plain' }
      const where = { id: 1n }
      const nested = { id: 1n, token: 'plain' }
      const ofAccount = (integrations: object) =>
        prisma.account.update({ where: { id: 'acme' }, data: { integrations } })
      const seen = {
        create: () => prisma.integration.create({ data: row }),
        createMany: () => prisma.integration.createMany({ data: [row] }),
        createManyAndReturn: () => prisma.integration.createManyAndReturn({ data: [row] }),
        update: () => prisma.integration.update({ where, data }),
        'upsert of a row': () => prisma.integration.upsert({ where, create: row, update: data }),
        'upsert that creates': () =>
          prisma.integration.upsert({ where, create: row, update: data }),
      }
      const refused = {
        updateMany: () => prisma.integration.updateMany({ where, data }),
        updateManyAndReturn: () => prisma.integration.updateManyAndReturn({ where, data }),
        'update with set': () =>
          prisma.integration.update({ where, data: { token: { set: 'plain' } } }),
      }
      const passing = {
        'nested create': () => ofAccount({ create: nested }),
        'nested createMany': () => ofAccount({ createMany: { data: [nested] } }),
        'nested connectOrCreate': () => ofAccount({ connectOrCreate: { where, create: nested } }),
        'nested update': () => ofAccount({ update: { where, data } }),
        'nested updateMany': () => ofAccount({ updateMany: { where, data } }),
        'nested upsert': () => ofAccount({ upsert: { where, create: nested, update: data } }),
        'raw SQL': () => prisma.$executeRawUnsafe("UPDATE integrations SET token = 'plain'"),
      }

      it('seals the writes that it sees', async () => {
        expect(await tryWrites(seen)).toEqual(each(seen, 'sealed'))
      })

      it('refuses a write whose row it does not know', async () => {
        expect(await tryWrites(refused)).toEqual(each(refused, 'TypeError'))
      })

      it('does not see other writes, which a constraint refuses', async () => {
        expect(await tryWrites(passing)).toEqual(each(passing, 'plain'))
        await expectRefused(passing)
      })

      it('opens tokens when they are read, including those of nested rows', async () => {
        await prisma.integration.create({ data: row })
        expect((await prisma.integration.findUnique({ where }))?.token).toBe('plain')
        const [account] = await prisma.account.findMany({ include: { integrations: true } })
        expect(account).toMatchObject({ integrations: [{ id: 1n, token: 'plain' }] })
      })
    })

    describe('a subscriber of TypeORM', () => {
      let source: DataSource
      beforeAll(async () => {
        source = await connectTypeOrm(schema.schema)
        source.subscribers.push(new TokenSubscriber(sealer))
      })
      afterAll(() => source.destroy())
      const row = { id: '1', account: 'acme', token: 'plain' }
      const repository = () => source.getRepository(integrationEntity)
      const accounts = () => source.getRepository(accountEntity)
      const seen = {
        'insert by save': () => repository().save({ ...row }),
        insert: () => repository().insert({ ...row }),
        'insert by the query builder': () =>
          repository()
            .createQueryBuilder()
            .insert()
            .values({ ...row })
            .execute(),
        'insert by upsert': () => repository().upsert({ ...row }, ['id']),
        'insert by a cascade': () => accounts().save({ id: 'acme', integrations: [{ ...row }] }),
        save: () => repository().save({ ...row }),
        'save of a loaded entity': async () => {
          const loaded = await repository().findOneByOrFail({ id: '1' })
          await repository().save({ ...loaded, token: 'plain' })
        },
        upsert: () => repository().upsert({ ...row }, ['id']),
      }
      const refused = {
        'save of a part': () => repository().save({ id: '1', token: 'plain' }),
        update: () => repository().update({ id: '1' }, { token: 'plain' }),
        'the query builder': () =>
          repository().createQueryBuilder().update().set({ token: 'plain' }).execute(),
      }
      const passing = {
        'save without listeners': () => repository().save({ ...row }, { listeners: false }),
        'the query builder without listeners': () =>
          repository()
            .createQueryBuilder()
            .update()
            .set({ token: 'plain' })
            .callListeners(false)
            .execute(),
        'raw SQL': () => source.query("UPDATE integrations SET token = 'plain'"),
      }

      it('seals the writes that it sees', async () => {
        expect(await tryWrites(seen)).toEqual(each(seen, 'sealed'))
      })

      it('refuses a write whose row it does not know', async () => {
        expect(await tryWrites(refused)).toEqual(each(refused, 'TypeError'))
      })

      it('does not see other writes, which a constraint refuses', async () => {
        expect(await tryWrites(passing)).toEqual(each(passing, 'plain'))
        await expectRefused(passing)
      })

      it('leaves a token as it is when an entity is saved with another change', async () => {
        await repository().insert({ ...row })
        await repository().save(await repository().findOneByOrFail({ id: '1' }))
        expect(await readToken()).toBe('sealed')
      })
    })
  },
)

/** Returns the same outcome for each write. */
function each(writes: object, outcome: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(writes).map((name) => [name, outcome]))
}
