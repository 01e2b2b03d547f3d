/** Runs the contracts through a PostgreSQL driver, in a process of its own. */

import { randomBytes } from 'node:crypto'
import { StorageError } from '../../../../src/errors.js'
import { listErrorCodes, toStorageError } from '../../../../src/storage/postgres/errors.js'
import {
  createPostgresStore,
  type PostgresClient,
  type PostgresStoreOptions,
} from '../../../../src/storage/postgres.js'
import { blobStoreContract, recordStoreContract } from '../../../../src/testing.js'
import { createTables } from './postgres.js'

/** What {@link runDriver} prints as JSON. */
export interface DriverReport {
  /** Cases that have failed, with the beginning of their error. */
  readonly failures: readonly string[]
  readonly cases: number
  /** The SQLSTATE codes of errors that the server was made to raise, if the store reads them. */
  readonly codes: readonly string[]
  /** The status of the error if the server ends the connection during a statement. */
  readonly lostConnection: number
}

/** SQLSTATE codes that the store depends on. */
export const raisedCodes: readonly string[] = ['40001', '40P01', '23505', '42P01', '25006']

/** Runs everything and prints a {@link DriverReport}. */
export async function runDriver<Client extends PostgresClient>(
  client: Client,
  options: PostgresStoreOptions<Client> = {},
): Promise<void> {
  const schema = `cofferkit_driver_${randomBytes(6).toString('hex')}`
  await client.query(`CREATE SCHEMA ${schema}`, [])
  const tables = await createTables(client, schema)
  const store = createPostgresStore(client, { ...options, ...tables })
  /** Empties the tables, which is quicker than new ones for each case. */
  const emptyStore = async (): Promise<typeof store> => {
    for (const name of ['records', 'chunks', 'blobs'])
      await client.query(`DELETE FROM ${schema}.${tables.tablePrefix}${name}`, [])
    return store
  }
  const failures: string[] = []
  const attempt = async (name: string, run: () => Promise<void>): Promise<void> =>
    run().catch((error: unknown) => {
      failures.push(`${name}: ${String(error).slice(0, 300)}`)
    })
  for (const { name, run } of recordStoreContract)
    await attempt(`records: ${name}`, async () => run((await emptyStore()).records))
  for (const { name, run } of blobStoreContract)
    await attempt(`blobs: ${name}`, async () => run((await emptyStore()).blobs))
  const codes: string[] = []
  for (const code of raisedCodes) {
    const raise = `DO $$ BEGIN RAISE EXCEPTION 'raised' USING ERRCODE = '${code}'; END $$`
    const error = await errorOf(client.query(raise, []))
    codes.push(
      ...listErrorCodes(error)
        .filter((found) => found === code)
        .slice(0, 1),
    )
  }
  const end = 'SELECT pg_terminate_backend(pg_backend_pid()) AS ended'
  const lostConnection = toStorageError(await errorOf(client.query(end, []))).status
  // Knex uses the connection once more before it notices that it is lost.
  const drop = (): Promise<unknown> => client.query(`DROP SCHEMA ${schema} CASCADE`, [])
  await drop().catch(drop)
  const cases = recordStoreContract.length + blobStoreContract.length
  const report: DriverReport = { failures, cases, codes, lostConnection }
  print(report)
}

/** Reads a record from a server that does not respond, and prints the status of the error. */
export async function runUnreachable(client: PostgresClient): Promise<void> {
  const error = await errorOf(createPostgresStore(client).records.get({ collection: 'c', id: 'a' }))
  print(error instanceof StorageError ? error.status : String(error))
}

function print(value: unknown): void {
  process.stdout.write(`\nreport: ${JSON.stringify(value)}\n`, () => process.exit())
}

function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => new Error('it was not rejected'),
    (error: unknown) => error,
  )
}
