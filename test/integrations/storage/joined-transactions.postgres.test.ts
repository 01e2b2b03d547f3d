/** The promises of `inTransaction` on a server, with real transactions and processes that are apart. */

import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  addIntegration,
  drizzleClient,
  integrations,
} from '../../../examples/item-in-transaction.js'
import { createStoredActivityLog } from '../../../src/activity.js'
import { createCredentials } from '../../../src/credentials.js'
import {
  type ActivityEntry,
  type Caller,
  ConflictError,
  createCaller,
  createVaultService,
  type ItemRef,
  type PatchOperation,
  StorageError,
  type VaultServiceOptions,
  type VaultStore,
  type VaultTransaction,
} from '../../../src/index.js'
import { createEncryptedStore } from '../../../src/storage/encrypted.js'
import { createPostgresStore, migratePostgres } from '../../../src/storage/postgres.js'
import { noteDraft } from '../../support/drafts.js'
import { createKeys } from '../../support/stores/encrypted-stores.js'
import {
  createTestSchema,
  databaseUrl,
  skippedSuffix,
  type TestSchema,
} from '../support/stores/postgres.js'

const isolationLevels = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'] as const
const outcomes = ['COMMIT', 'ROLLBACK', 'a killed backend'] as const
type Outcome = (typeof outcomes)[number]

const caller = createCaller({ id: 'wendy', vaults: '*' })
const keys = createKeys()
const kinds = { stripe: { fields: { key: {} } } }
const rename = (title: string): readonly PatchOperation[] => [
  { op: 'replace', path: '/title', value: title },
]

let schema: TestSchema
/** The pool from which the application takes its transactions. */
let pool: pg.Pool

interface ProcessOptions extends Pick<VaultServiceOptions, 'storeTimeoutMs' | 'now'> {
  /** The size of its pool. */
  readonly max?: number
  /** Changes its store, for a variant that must fail. */
  readonly change?: (store: VaultStore) => VaultStore
}

/** Starts a process: a service with its own pool and its own cache of keys. */
function startProcess({ max = 2, change = (store) => store, ...options }: ProcessOptions = {}) {
  const own = schema.connect({ max, idleTimeoutMillis: 1000 })
  const store = change(createPostgresStore(own, { schema: schema.schema }))
  const encrypted = createEncryptedStore(store, { keys })
  const activity = createStoredActivityLog(encrypted)
  const service = createVaultService({ store: encrypted, activity, ...options })
  return { service, encrypted, credentials: createCredentials(service, kinds), pool: own }
}

type Process = ReturnType<typeof startProcess>

/** Runs `work` in a transaction, and ends that. */
async function transact(
  work: (client: pg.PoolClient) => Promise<unknown>,
  outcome: Outcome = 'COMMIT',
  level: string = 'READ COMMITTED',
): Promise<void> {
  const client = await pool.connect()
  client.on('error', () => {})
  try {
    await client.query(`BEGIN ISOLATION LEVEL ${level}`)
    await work(client)
    if (outcome === 'a killed backend') {
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
      await pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
    }
    const ended = client.query(outcome === 'ROLLBACK' ? 'ROLLBACK' : 'COMMIT')
    if (outcome === 'a killed backend') await expect(ended).rejects.toThrow()
    else await ended
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    client.release(true)
  }
}

/** Resolves once a statement of another connection waits for a lock. */
async function untilBlocked(): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    )
    if (rows.length > 0) return
  }
}

/** Returns the collection and the id of each record that the process cannot read. */
async function findUnreadable({ encrypted }: Process): Promise<readonly string[]> {
  const table = `"${schema.schema}".cofferkit_records`
  const { rows } = await pool.query(
    `SELECT DISTINCT collection FROM ${table} WHERE collection <> 'keys'`,
  )
  const found: string[] = []
  for (const { collection } of rows)
    for (const { id, unreadable } of await encrypted.records
      .list(collection, { limit: 10_000 })
      .catch((error) => [{ id: '*', unreadable: error }]))
      if (unreadable !== undefined) found.push(`${collection}/${id}`)
  return found
}

/** Returns the entries of changes of a vault, oldest first: operation and result. */
async function changesOf({ service }: Process, vaultId: string): Promise<readonly string[]> {
  const { entries } = await service.listActivity(caller, { vaultId, limit: 1000 })
  const isChange = ({ action }: ActivityEntry): boolean => action !== 'READ'
  return entries
    .filter(isChange)
    .map(({ operation, result }) => `${operation} ${result}`)
    .reverse()
}

/** A vault with an item, which all processes know. */
async function createVault(process: Process): Promise<ItemRef> {
  const { id: vaultId } = await process.service.createVault(caller, { name: 'Acme' })
  const item = noteDraft(vaultId)
  const { id: itemId } = await process.service.createItem(caller, { vaultId, item })
  return { vaultId, itemId }
}

/** What a transaction does: `act` makes it, and `isMade` finds out whether it was made. */
interface Change {
  /** The entries of the activity log that it makes, with `%s` for their result. */
  readonly entries: readonly string[]
  /** Prepares the vault. */
  prepare(process: Process): Promise<ItemRef>
  /** Returns the ids of what was made. */
  act(vault: VaultTransaction, ref: ItemRef, process: Process): Promise<ItemRef>
  isMade(process: Process, ref: ItemRef): Promise<boolean>
}

const exists = ({ service }: Process, ref: ItemRef): Promise<boolean> =>
  service.getItem(caller, ref).then(
    () => true,
    (error) => {
      if (error.code === 'NOT_FOUND') return false
      throw error
    },
  )

const createItem: Change['act'] = async (vault, { vaultId }) => {
  const { id: itemId } = await vault.createItem(caller, { vaultId, item: noteDraft(vaultId) })
  return { vaultId, itemId }
}

const changes: Readonly<Record<string, Change>> = {
  'the first write to a vault': {
    entries: ['createItem %s'],
    async prepare({ service }) {
      const { id: vaultId } = await service.createVault(caller, { name: 'Acme' })
      return { vaultId, itemId: 'a'.repeat(26) }
    },
    act: createItem,
    isMade: exists,
  },
  'a change of an item': {
    entries: ['patchItem %s'],
    prepare: createVault,
    async act(vault, ref) {
      await vault.patchItem(caller, { ...ref, patch: rename('Changed') })
      expect(await vault.getItem(caller, ref)).toMatchObject({ title: 'Changed' })
      return ref
    },
    async isMade({ service }, ref) {
      return (await service.getItem(caller, ref)).title === 'Changed'
    },
  },
  'a deletion': {
    entries: ['deleteItem %s'],
    prepare: createVault,
    async act(vault, ref) {
      await vault.deleteItem(caller, ref)
      return ref
    },
    isMade: async (process, ref) => !(await exists(process, ref)),
  },
  'a new vault': {
    entries: ['createVault %s', 'createItem %s'],
    prepare: createVault,
    async act(vault, _, process) {
      const { id: vaultId } = await vault.createVault(caller, { name: 'New' })
      return createItem(vault, { vaultId, itemId: '' }, process)
    },
    isMade: exists,
  },
  'credentials.save': {
    entries: ['saveCredential %s'],
    prepare: createVault,
    async act(vault, ref) {
      const own = createCredentials(vault, kinds).of(caller, ref.vaultId)
      await own.save('stripe', { key: 'sk_live_1234' })
      expect(await own.reveal('stripe', 'key')).toBe('sk_live_1234')
      return ref
    },
    async isMade({ credentials }, { vaultId }) {
      return (await credentials.of(caller, vaultId).list()).length === 1
    },
  },
  'a change after rotateDataKeys beside it': {
    entries: ['createItem %s'],
    prepare: createVault,
    async act(vault, ref, process) {
      await process.encrypted.rotateDataKeys({ scopes: [ref.vaultId] })
      return createItem(vault, ref, process)
    },
    isMade: exists,
  },
}

describe.runIf(databaseUrl !== undefined)(`inTransaction on PostgreSQL${skippedSuffix}`, () => {
  let own: Process
  let other: Process

  beforeAll(async () => {
    schema = await createTestSchema()
    pool = schema.connect({ options: `-c search_path=${schema.schema}` })
    await migratePostgres(pool, { schema: schema.schema })
    own = startProcess()
    other = startProcess()
  })

  afterAll(async () => {
    const unreadable = await findUnreadable(startProcess())
    process.stdout.write(`unreadable records: ${unreadable.length}\n`)
    await schema.remove()
    expect(unreadable).toEqual([])
  })

  const cases = Object.entries(changes).flatMap(([name, change]) =>
    outcomes.flatMap((outcome) =>
      isolationLevels.map((level) => ({ name, outcome, level, change })),
    ),
  )

  it.each(cases)('makes $name with $outcome, $level, as a whole or not at all', async (row) => {
    const { outcome, level, change } = row
    const ref = await change.prepare(own)
    // The other process has the keys in its cache.
    await exists(other, ref)
    let made = ref
    await transact(
      async (client) => {
        made = await change.act(own.service.inTransaction(client), ref, own)
      },
      outcome,
      level,
    )
    const isMade = outcome === 'COMMIT'
    const processes = [own, other, startProcess()]
    for (const process of processes) {
      expect(await change.isMade(process, made)).toBe(isMade)
      const result = isMade ? 'SUCCESS' : 'PENDING'
      const recorded = change.entries.map((entry) => entry.replace('%s', result))
      expect((await changesOf(process, made.vaultId)).slice(-recorded.length)).toEqual(recorded)
    }
    // Whatever happened, each process goes on writing what every process can read.
    const { vaultId } = ref
    for (const { service } of processes)
      await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    const counts = processes.map(async ({ service }) => {
      const items = await service.listItems(caller, { vaultId })
      return items.length
    })
    expect(new Set(await Promise.all(counts)).size).toBe(1)
  })

  it('rolls back to a savepoint what was made after it', async () => {
    const ref = await createVault(own)
    const titles: string[] = []
    await transact(async (client) => {
      const change = async (title: string, end: string): Promise<void> => {
        await client.query('SAVEPOINT own')
        const vault = own.service.inTransaction(client)
        await vault.patchItem(caller, { ...ref, patch: rename(title) })
        await client.query(`${end} SAVEPOINT own`)
        titles.push(String((await vault.getItem(caller, ref)).title))
      }
      await change('one', 'ROLLBACK TO')
      await change('two', 'RELEASE')
      await change('three', 'ROLLBACK TO')
    })
    expect(titles).toEqual(['Note', 'two', 'two'])
    expect(await other.service.getItem(caller, ref)).toMatchObject({ title: 'two', version: 2 })
    const results = ['PENDING', 'SUCCESS', 'PENDING'].map((result) => `patchItem ${result}`)
    expect((await changesOf(other, ref.vaultId)).slice(-3)).toEqual(results)
  })

  it('goes on after a savepoint to which a failed statement was rolled back', async () => {
    const ref = await createVault(own)
    await transact(async (client) => {
      await client.query('SAVEPOINT own')
      await expect(client.query('SELECT 1 / 0')).rejects.toThrow()
      const failed = own.service.inTransaction(client)
      const rejection = { code: 'STORAGE_FAILED', message: expect.stringContaining('earlier') }
      await expect(failed.getItem(caller, ref)).rejects.toMatchObject(rejection)
      await client.query('ROLLBACK TO SAVEPOINT own')
      await expect(failed.getItem(caller, ref)).rejects.toMatchObject(rejection)
      const vault = own.service.inTransaction(client)
      await vault.patchItem(caller, { ...ref, patch: rename('Changed') })
    })
    expect(await other.service.getItem(caller, ref)).toMatchObject({ title: 'Changed' })
  })

  /** Deletes a vault while a transaction has created an item in it, and returns what is left. */
  async function deleteVaultBeside(process: Process): Promise<boolean> {
    const ref = await createVault(process)
    let created = ref
    let deleting: Promise<unknown> | undefined
    await transact(async (client) => {
      created = await createItem(process.service.inTransaction(client), ref, process)
      deleting = other.service.deleteVault(caller, { vaultId: ref.vaultId })
      await Promise.race([deleting, untilBlocked()])
    })
    await deleting
    const key = { collection: `items/${created.vaultId}`, id: created.itemId }
    return (await startProcess().encrypted.records.get(key)) !== undefined
  }

  it('leaves no item in a vault that is deleted beside the transaction', async () => {
    expect(await deleteVaultBeside(own)).toBe(false)
  })

  it('would leave one if the record of the vault were not locked', async () => {
    const unlocked = startProcess({
      change: ({ records, blobs }) => ({
        blobs,
        records: {
          ...records,
          inTransaction: (client) =>
            Object(records).inTransaction({
              query: (text: string, values: unknown[]) =>
                client.query(text.replace(' FOR SHARE', ''), values),
            }),
        },
      }),
    })
    expect(await deleteVaultBeside(unlocked)).toBe(true)
  })

  it('changes an item again while a call outside waits for the transaction', async () => {
    const ref = await createVault(own)
    let outside: Promise<unknown> | undefined
    await transact(async (client) => {
      const vault = own.service.inTransaction(client)
      await vault.patchItem(caller, { ...ref, patch: rename('one') })
      outside = own.service.patchItem(caller, { ...ref, patch: rename('outside') })
      await untilBlocked()
      await vault.patchItem(caller, { ...ref, patch: rename('two') })
    })
    await outside
    expect(await other.service.getItem(caller, ref)).toMatchObject({ title: 'outside', version: 4 })
  })

  it.each([
    ['two transactions', true],
    ['a transaction and a call outside', false],
  ])('rejects one of two savings in opposite order with the SQLSTATE: %s', async (_, isInside) => {
    const [a, b] = [await createVault(own), await createVault(own)]
    let goOn = (): void => {}
    const areReady = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let saved = 0
    const save = async (refs: readonly ItemRef[], process: Process) =>
      transact(async (client) => {
        const vault = process.service.inTransaction(client)
        for (const ref of refs) {
          await vault.patchItem(caller, { ...ref, patch: rename('Saved') })
          // Both have changed one item before either changes the other.
          if (++saved === 2) goOn()
          await areReady
        }
      })
    const outcomes = await Promise.allSettled([
      save([a, b], own),
      save([b, a], isInside ? own : other),
    ])
    const errors = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason] : [],
    )
    expect(errors).toHaveLength(1)
    expect(errors[0]).toBeInstanceOf(ConflictError)
    expect(errors[0]).toMatchObject({ reason: 'races', cause: { code: '40P01' } })
    for (const ref of [a, b])
      expect(await other.service.getItem(caller, ref)).toMatchObject({ title: 'Saved', version: 2 })
  })

  it('rejects a change of what was changed since a snapshot with the SQLSTATE', async () => {
    const ref = await createVault(own)
    await transact(
      async (client) => {
        const vault = own.service.inTransaction(client)
        await vault.getItem(caller, ref)
        await other.service.patchItem(caller, { ...ref, patch: rename('Other') })
        const changing = vault.patchItem(caller, { ...ref, patch: rename('Own') })
        await expect(changing).rejects.toMatchObject({ code: 'CONFLICT', cause: { code: '40001' } })
        await expect(vault.getItem(caller, ref)).rejects.toBeInstanceOf(StorageError)
      },
      'COMMIT',
      'REPEATABLE READ',
    )
    expect(await own.service.getItem(caller, ref)).toMatchObject({ title: 'Other' })
    expect((await changesOf(own, ref.vaultId)).slice(-2).sort()).toEqual([
      'patchItem DENY',
      'patchItem SUCCESS',
    ])
  })

  it('keeps what a caller has changed before they expire, and nothing after it', async () => {
    let now = new Date('2026-01-01T12:00:00Z')
    const process = startProcess({ now: () => now })
    const { vaultId } = await createVault(process)
    const expiresAt = new Date(now.getTime() + 1000)
    const guest = createCaller({ id: 'guest', vaults: { [vaultId]: 'read-write' }, expiresAt })
    const itemIds = ['early', 'late', 'other'].map((id) => id.padEnd(26, 'a'))
    const create = (vault: VaultTransaction, by: Caller, itemId = '') =>
      vault.createItem(by, { vaultId, itemId, item: noteDraft(vaultId) })
    await transact(async (client) => {
      const vault = process.service.inTransaction(client)
      await create(vault, guest, itemIds[0])
      now = expiresAt
      const late = { code: 'UNAUTHORIZED', message: 'the caller has expired' }
      await expect(create(vault, guest, itemIds[1])).rejects.toMatchObject(late)
      await expect(vault.as(guest).listItems({ vaultId })).rejects.toMatchObject(late)
      // The refusal is no failure of the transaction.
      await create(vault, caller, itemIds[2])
    })
    const other = startProcess()
    const found = itemIds.map((itemId) => exists(other, { vaultId, itemId }))
    expect(await Promise.all(found)).toEqual([true, false, true])
    const { entries } = await other.service.listActivity(caller, { callerId: 'guest' })
    expect(entries.map(({ operation, result }) => `${operation} ${result}`)).toEqual([
      ...['listItems DENY', 'createItem DENY', 'createItem SUCCESS'],
    ])
  })

  it('needs one connection of the service, and one of the application', async () => {
    const process = startProcess({ max: 1 })
    const ref = await createVault(process)
    const { vaultId } = ref
    await Promise.all(
      Array.from({ length: 8 }, () =>
        transact((client) => createItem(process.service.inTransaction(client), ref, process)),
      ),
    )
    expect(await other.service.listItems(caller, { vaultId })).toHaveLength(9)
  })

  it('says that the pools must differ when the one connection of both is taken', async () => {
    const process = startProcess({ max: 1, storeTimeoutMs: 200 })
    const ref = await createVault(own)
    const client = await process.pool.connect()
    await client.query('BEGIN')
    const calling = createItem(process.service.inTransaction(client), ref, process)
    await expect(calling).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('pool of its service'),
    })
    await client.query('ROLLBACK')
    client.release()
  })

  it('has the entry of a patch whose result was read and which was rolled back', async () => {
    const ref = await createVault(own)
    const patch = [{ op: 'add', path: '/fields/-', value: { type: 'CONCEALED', generate: true } }]
    await transact(async (client) => {
      const vault = own.service.inTransaction(client)
      await vault.patchItem(caller, { ...ref, patch: patch as readonly PatchOperation[] })
      await vault.getItem(caller, ref)
    }, 'ROLLBACK')
    const { entries } = await other.service.listActivity(caller, { vaultId: ref.vaultId })
    const recorded = entries.slice(0, 2).map(({ operation, result }) => `${operation} ${result}`)
    expect(recorded).toEqual(['getItem SUCCESS', 'patchItem PENDING'])
  })

  it('refuses a client that is in no transaction, and writes nothing', async () => {
    const ref = await createVault(own)
    const vault = own.service.inTransaction(pool)
    await expect(createItem(vault, ref, own)).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringContaining('not in a transaction'),
    })
    expect(await other.service.listItems(caller, { vaultId: ref.vaultId })).toHaveLength(1)
  })

  it('stores an item and a row of the application together, by Drizzle', async () => {
    await pool.query('CREATE TABLE integrations (item_id text PRIMARY KEY, tenant_id text UNIQUE)')
    const { vaultId } = await createVault(own)
    const db = drizzle(pool)
    const add = (apiKey: string) =>
      addIntegration(db, own.service, caller, { vaultId, tenantId: 'acme', apiKey })
    const itemId = await add('sk_live_1')
    await expect(add('sk_live_2')).rejects.toThrow()
    expect(await db.select().from(integrations)).toEqual([{ itemId, tenantId: 'acme' }])
    const found = await other.service.listItems(caller, { vaultId, filter: 'title eq "acme"' })
    expect(found.map(({ id }) => id)).toEqual([itemId])
    const conflict = db.transaction(
      async (tx) => {
        const vault = own.service.inTransaction(drizzleClient(tx))
        await vault.getItem(caller, { vaultId, itemId })
        const input = { vaultId, itemId, patch: rename('Other') }
        await other.service.patchItem(caller, input)
        await vault.patchItem(caller, { vaultId, itemId, patch: rename('Own') })
      },
      { isolationLevel: 'serializable' },
    )
    await expect(conflict).rejects.toMatchObject({ cause: { code: '40001' } })
  })

  it('refuses the pool of the store', () => {
    expect(() => own.service.inTransaction(own.pool)).toThrow(TypeError)
  })
})
