/** Seals a column of a table in Drizzle: tenants, values that were encrypted before, a rotation. */

import assert from 'node:assert/strict'
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { PGlite } from '@electric-sql/pglite'
import { createLocalKeyProvider } from 'cofferkit/encrypted'
import { createPostgresStore, postgresMigrations } from 'cofferkit/postgres'
import { createSealer, hintOf, type Sealed } from 'cofferkit/seal'
import { and, eq, like, not } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pglite'

// What the app has had until now: AES-256-GCM with one key, as iv:ciphertext:tag in hexadecimal.
const oldKey = randomBytes(32)
const oldForm = /^[\da-f]{24}:[\da-f]*:[\da-f]{32}$/
function encrypt(value: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', oldKey, iv)
  const parts = [
    iv,
    Buffer.concat([cipher.update(value), cipher.final()]),
    cipher.getAuthTag(),
  ]
  return parts.map((part) => part.toString('hex')).join(':')
}
function decrypt(stored: string): string {
  const [iv, ciphertext, tag] = stored
    .split(':')
    .map((part) => Buffer.from(part, 'hex'))
  if (!iv || !ciphertext || !tag) throw new TypeError('not encrypted')
  const decipher = createDecipheriv('aes-256-gcm', oldKey, iv).setAuthTag(tag)
  return Buffer.concat([
    decipher.update(ciphertext),
    decipher.final(),
  ]).toString()
}

const database = new PGlite()
const db = drizzle(database)
await db.execute(
  'CREATE TABLE integrations (id int PRIMARY KEY, tenant text NOT NULL, token text NOT NULL, hint text)',
)
await db.execute(
  `INSERT INTO integrations VALUES (1, 'acme', '${encrypt('sk_live_acme_2024')}'), (2, 'globex', '${encrypt('sk_live_globex_2024')}')`,
)

// The column stays text. Its type is Sealed, so a plain string does not compile.
const integrations = pgTable('integrations', {
  id: integer().primaryKey(),
  tenant: text().notNull(),
  token: text().$type<Sealed>().notNull(),
  hint: text(),
})

// The key rings have their own table.
for (const { statements } of postgresMigrations({
  schema: 'keys',
  recordsOnly: true,
}))
  for (const statement of statements) await database.query(statement)
const { records } = createPostgresStore(database, { schema: 'keys' })
const keys = createLocalKeyProvider({ key: randomBytes(32) }) // readKeyFile('app.key')
let now = new Date()
const sealer = createSealer(records, {
  keys,
  legacy: [{ matches: (stored) => oldForm.test(stored), open: decrypt }],
  now: () => now, // only to rotate below
})

/** Reads a token, in whichever form it is. */
async function readToken(
  tenant: string,
  id: number,
): Promise<string | undefined> {
  const box = await sealer.box(tenant)
  const isRow = and(eq(integrations.tenant, tenant), eq(integrations.id, id))
  const [row] = await db.select().from(integrations).where(isRow)
  const tokens = box.column('integrations', 'token')
  return row && tokens.row(row.id).open(row.token)
}

/** Seals every token with the current key of its tenant, beside the running app. */
async function sweep(): Promise<number> {
  let swept = 0
  for (const { id, tenant, token } of await db.select().from(integrations)) {
    const sealed = await sealer
      .reseal(tenant, ['integrations', 'token', id], token)
      .catch((error: Error) => console.error(id, error.message)) // a damaged row stops no other
    if (!sealed) continue
    // The app may have written another token meanwhile.
    const isUnchanged = and(
      eq(integrations.id, id),
      eq(integrations.token, token),
    )
    await db.update(integrations).set({ token: sealed }).where(isUnchanged)
    swept++
  }
  return swept
}

// A request of a tenant: load the box before a transaction begins.
const box = await sealer.box('acme')
const value = 'sk_live_correct_horse'
await db.transaction(async (tx) => {
  const token = box.column('integrations', 'token').row(3).seal(value)
  await tx
    .insert(integrations)
    .values({ id: 3, tenant: 'acme', token, hint: hintOf(value) })
})
console.log('new:', await readToken('acme', 3))
console.log('old:', await readToken('globex', 2))

console.log('swept:', await sweep())
const isLeft = not(like(integrations.token, 'coffer1.%'))
console.log('left:', await db.$count(integrations, isLeft))
await db.execute(
  "ALTER TABLE integrations ADD CONSTRAINT token_is_sealed CHECK (token LIKE 'coffer1.%')",
)

// Rotations are an hour apart, or more.
now = new Date(now.getTime() + 3_600_000)
console.log('rotated:', await sealer.rotateDataKeys())
console.log('swept:', await sweep())
console.log('still:', await readToken('globex', 2))

// Someone who can write to the table cannot move a token to another row.
const [row] = await db.select().from(integrations).where(eq(integrations.id, 2))
assert(row)
await db
  .update(integrations)
  .set({ token: row.token })
  .where(eq(integrations.id, 1))
await assert.rejects(readToken('acme', 1), { code: 'DECRYPTION_FAILED' })
console.log('the other row:', await readToken('acme', 3))

await sealer.close()
await database.close()
