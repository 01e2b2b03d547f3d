/** Libraries for databases over one table with a sealed column. */

import { PrismaPg } from '@prisma/adapter-pg'
import { and, eq, gt } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { bigint, pgTable, text } from 'drizzle-orm/pg-core'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { DataSource, type DataSourceOptions, EntitySchema, MoreThan } from 'typeorm'
import type { Sealed } from '../../../../src/seal.js'
import { databaseUrl } from '../stores/postgres.js'
import { generatePrisma } from '../stores/prisma-client.js'

/** The statements that create the tables. */
export const tables = `
  CREATE TABLE accounts (id text PRIMARY KEY);
  CREATE TABLE integrations (
    id bigint PRIMARY KEY,
    account text NOT NULL REFERENCES accounts,
    token text NOT NULL
  );
  INSERT INTO accounts VALUES ('acme'), ('globex')`

/** A row. The libraries return different types of ids. */
export interface Integration {
  readonly id: bigint | string
  readonly account: string
  readonly token: string
}

/** What each library does. The id of a row is a bigint. */
export interface Library {
  insert(row: { readonly id: bigint; readonly account: string; token: Sealed }): Promise<unknown>
  find(id: bigint): Promise<Integration | null | undefined>
  /** Returns rows in the order of their ids, after one. */
  list(after: bigint, limit: number): Promise<readonly Integration[]>
  update(id: bigint, token: Sealed): Promise<unknown>
  /** Writes a token where the column still has the old one. Returns true if it had. */
  replace(id: bigint, token: Sealed, old: string): Promise<boolean>
}

/** Calls the driver. */
export function usePg(pool: pg.Pool): Library {
  return {
    insert: ({ id, account, token }) =>
      pool.query('INSERT INTO integrations VALUES ($1, $2, $3)', [id, account, token]),
    find: async (id) =>
      (await pool.query('SELECT * FROM integrations WHERE id = $1', [id])).rows[0],
    async list(after, limit) {
      const page = 'SELECT * FROM integrations WHERE id > $1 ORDER BY id LIMIT $2'
      return (await pool.query(page, [after, limit])).rows
    },
    update: (id, token) =>
      pool.query('UPDATE integrations SET token = $1 WHERE id = $2', [token, id]),
    async replace(id, token, old) {
      const update = 'UPDATE integrations SET token = $1 WHERE id = $2 AND token = $3'
      return (await pool.query(update, [token, id, old])).rowCount === 1
    },
  }
}

const table = pgTable('integrations', {
  id: bigint({ mode: 'bigint' }).primaryKey(),
  account: text().notNull(),
  token: text().$type<Sealed>().notNull(),
})

/** Calls Drizzle. */
export function useDrizzle(pool: pg.Pool): Library {
  const db = drizzle(pool)
  return {
    insert: (row) => db.insert(table).values(row),
    find: async (id) => (await db.select().from(table).where(eq(table.id, id)))[0],
    list: (after, limit) =>
      db.select().from(table).where(gt(table.id, after)).orderBy(table.id).limit(limit),
    update: (id, token) => db.update(table).set({ token }).where(eq(table.id, id)),
    async replace(id, token, old) {
      const isOld = and(eq(table.id, id), eq(table.token, old as Sealed))
      return (await db.update(table).set({ token }).where(isOld).returning()).length === 1
    },
  }
}

/** Calls Kysely. */
export function useKysely(pool: pg.Pool): Library {
  const db = new Kysely<{ integrations: { id: string; account: string; token: Sealed } }>({
    dialect: new PostgresDialect({ pool }),
  })
  const select = db.selectFrom('integrations').selectAll()
  return {
    insert: (row) =>
      db
        .insertInto('integrations')
        .values({ ...row, id: `${row.id}` })
        .execute(),
    find: (id) => select.where('id', '=', `${id}`).executeTakeFirst(),
    list: (after, limit) =>
      select.where('id', '>', `${after}`).orderBy('id').limit(limit).execute(),
    update: (id, token) =>
      db.updateTable('integrations').set({ token }).where('id', '=', `${id}`).execute(),
    async replace(id, token, old) {
      const update = db.updateTable('integrations').set({ token }).where('id', '=', `${id}`)
      const result = await update.where('token', '=', old as Sealed).executeTakeFirst()
      return result.numUpdatedRows === 1n
    },
  }
}

/** Entities of TypeORM. */
export const accountEntity = new EntitySchema<{ id: string; integrations?: Integration[] }>({
  name: 'accounts',
  columns: { id: { type: 'text', primary: true } },
  relations: {
    integrations: {
      type: 'one-to-many',
      target: 'integrations',
      inverseSide: 'owner',
      cascade: true,
    },
  },
})
export const integrationEntity = new EntitySchema<{
  id: string
  account: string
  token: string
  owner?: { id: string }
}>({
  name: 'integrations',
  columns: {
    id: { type: 'bigint', primary: true },
    account: { type: 'text' },
    token: { type: 'text' },
  },
  relations: {
    owner: { type: 'many-to-one', target: 'accounts', joinColumn: { name: 'account' } },
  },
})

/** Connects TypeORM. `destroy` ends its connections. */
export function connectTypeOrm(schema: string): Promise<DataSource> {
  const options: DataSourceOptions = {
    type: 'postgres',
    url: databaseUrl ?? '',
    schema,
    extra: { options: `-c search_path=${schema}` },
    entities: [accountEntity, integrationEntity],
  }
  return new DataSource(options).initialize()
}

/** Calls TypeORM. */
export function useTypeOrm(source: DataSource): Library {
  const repository = source.getRepository(integrationEntity)
  return {
    insert: (row) => repository.insert({ ...row, id: `${row.id}` }),
    find: (id) => repository.findOneBy({ id: `${id}` }),
    list: (after, limit) =>
      repository.find({ where: { id: MoreThan(`${after}`) }, order: { id: 'ASC' }, take: limit }),
    update: (id, token) => repository.update({ id: `${id}` }, { token }),
    replace: async (id, token, old) =>
      (await repository.update({ id: `${id}`, token: old }, { token })).affected === 1,
  }
}

const models = `
model Account {
  id           String        @id
  integrations Integration[]
  @@map("accounts")
}
model Integration {
  id      BigInt  @id
  account String
  owner   Account @relation(fields: [account], references: [id])
  token   String
  @@map("integrations")
}`

type Arguments = Readonly<Record<string, unknown>>

/** The methods of a model that the tests call. The client is generated, so its types are not known. */
interface PrismaModel {
  create(args: Arguments): Promise<Integration>
  createMany(args: Arguments): Promise<unknown>
  createManyAndReturn(args: Arguments): Promise<readonly Integration[]>
  findUnique(args: Arguments): Promise<Integration | null>
  findMany(args: Arguments): Promise<readonly Integration[]>
  update(args: Arguments): Promise<Integration>
  updateMany(args: Arguments): Promise<{ readonly count: number }>
  updateManyAndReturn(args: Arguments): Promise<readonly Integration[]>
  upsert(args: Arguments): Promise<Integration>
}

/** A client of Prisma. */
export interface Prisma {
  readonly account: PrismaModel
  readonly integration: PrismaModel
  $executeRawUnsafe(text: string): Promise<number>
  $extends(extension: object): Prisma
  $disconnect(): Promise<void>
}

/** Generates and connects a client of Prisma. `remove` ends its connections, and deletes it. */
export async function connectPrisma(
  schema: string,
): Promise<{ prisma: Prisma; remove(): Promise<void> }> {
  const generated = generatePrisma(models)
  const { PrismaClient } = await import(generated.path)
  const options = `-c search_path=${schema}`
  const prisma: Prisma = new PrismaClient({
    adapter: new PrismaPg({ connectionString: databaseUrl ?? '', options }, { schema }),
  })
  return {
    prisma,
    async remove() {
      await prisma.$disconnect()
      generated.remove()
    },
  }
}

/** Calls Prisma. */
export function usePrisma({ integration }: Prisma): Library {
  return {
    insert: (data) => integration.create({ data }),
    find: (id) => integration.findUnique({ where: { id } }),
    list: (after, take) =>
      integration.findMany({ where: { id: { gt: after } }, orderBy: { id: 'asc' }, take }),
    update: (id, token) => integration.update({ where: { id }, data: { token } }),
    replace: async (id, token, old) =>
      (await integration.updateMany({ where: { id, token: old }, data: { token } })).count === 1,
  }
}
