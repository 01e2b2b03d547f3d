/**
 * Shows that vaults can be spread over several PostgreSQL servers with the store interface alone.
 * The store contract holds on the routed store, all data of a vault is on one server, and a shard
 * can be moved. The negative control, a router whose number of shards was changed, must be caught.
 * All servers run on this machine, so this is not about speed.
 *
 * `npm run prove -- scale [--short] [--servers 3]`
 */

import { parseArgs } from 'node:util'
import { createVaultService, type VaultService, type VaultStore } from 'cofferkit'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createPostgresStore, migratePostgres } from 'cofferkit/postgres'
import { blobStoreContract, recordStoreContract } from 'cofferkit/testing'
import { routeVaults } from '../../examples/route-vaults.js'
import { countMissing, fillVaults, type VaultTitles } from './scale/fill-vaults.js'
import {
  countRows,
  createShard,
  moveShard,
  openServer,
  type Shard,
  type ShardServer,
} from './scale/shards.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    servers: { type: 'string', default: '3' },
  },
})
const shardsPerServer = 4
const [vaults, items] = values.short ? [24, 3] : [240, 10]

const servers = await Promise.all(Array.from({ length: Number(values.servers) }, openServer))
const failures: string[] = []
try {
  await checkContract()
  const shards = await createShards()
  const titles = await spreadVaults(shards)
  await checkMove(shards, titles)
  await checkEncryption(shards)
  await checkNegativeControl(shards, titles)
} finally {
  await Promise.all(servers.map(({ close }) => close()))
}
for (const failure of failures) print(failure)
if (failures.length > 0) {
  print(
    `again: npm run prove -- scale ${values.short ? '--short ' : ''}--servers ${values.servers}`,
  )
  process.exitCode = 1
}

function requireThat(condition: boolean, failure: string): void {
  if (!condition) failures.push(failure)
}

/** Runs every case on a store that is routed over new tables on every server. */
async function checkContract(): Promise<void> {
  let cases = 0
  const freshStore = async (): Promise<VaultStore> => {
    const tables = { tablePrefix: `case_${cases++}_` }
    await Promise.all(servers.map(({ pool }) => migratePostgres(pool, tables)))
    return routeVaults(servers.map(({ pool }) => createPostgresStore(pool, tables)))
  }
  for (const { name, run } of recordStoreContract)
    await run((await freshStore()).records).catch((error) => failures.push(`${name}: ${error}`))
  for (const { name, run } of blobStoreContract)
    await run((await freshStore()).blobs).catch((error) => failures.push(`${name}: ${error}`))
  print(`contract: ${cases} cases on a store routed over ${servers.length} servers`)
}

function createShards(): Promise<Shard[]> {
  const creations = Array.from({ length: shardsPerServer * servers.length }, (_, number) =>
    createShard(serverAt(number % servers.length), `shard_${number}`),
  )
  return Promise.all(creations)
}

function createService(shards: readonly Shard[]): VaultService {
  return createVaultService({ store: routeVaults(shards.map(({ store }) => store)) })
}

async function spreadVaults(shards: readonly Shard[]): Promise<VaultTitles> {
  const began = performance.now()
  const titles = await fillVaults(createService(shards), vaults, items)
  const seconds = (performance.now() - began) / 1000
  print(`${vaults} vaults of ${items} items with a file: ${seconds.toFixed(1)} s`)
  await printServers(shards)
  requireThat((await countMissing(createService(shards), titles)) === 0, 'items are missing')
  const stats = await Promise.all(shards.map(countRows))
  const isTogether = stats.every(([count, records]) => records === count * items)
  requireThat(isTogether, 'the data of a vault is in more than one shard')
  return titles
}

async function checkMove(shards: Shard[], titles: VaultTitles): Promise<void> {
  const [first] = shards
  if (first === undefined) return
  shards[0] = await moveShard(first, serverAt(servers.length - 1))
  print(`after ${first.schema} was moved to the last server:`)
  await printServers(shards)
  requireThat(
    (await countMissing(createService(shards), titles)) === 0,
    'items were lost by the move',
  )
}

async function checkEncryption(shards: readonly Shard[]): Promise<void> {
  const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })
  const routed = routeVaults(shards.map(({ store }) => store))
  const service = createVaultService({ store: createEncryptedStore(routed, { keys }) })
  const titles = await fillVaults(service, 6, 2)
  requireThat((await countMissing(service, titles)) === 0, 'encrypted items are missing')
}

async function checkNegativeControl(shards: readonly Shard[], titles: VaultTitles): Promise<void> {
  const missing = await countMissing(createService(shards.slice(1)), titles)
  print(`a router with one shard less does not find ${missing} of ${vaults * items} items`)
  requireThat(missing > 0, 'the negative control was not caught')
}

async function printServers(shards: readonly Shard[]): Promise<void> {
  const counted = servers.map(async (server) => {
    const own = shards.filter(({ on }) => on === server)
    const stats = await Promise.all(own.map(countRows))
    const sum = (index: 0 | 1 | 2): number =>
      stats.reduce((total, count) => total + count[index], 0)
    const { host } = new URL(server.server.url)
    return { server: host, shards: own.length, vaults: sum(0), items: sum(1), blobs: sum(2) }
  })
  printTable(await Promise.all(counted))
}

function serverAt(index: number): ShardServer {
  const [server] = servers.slice(index)
  if (server === undefined) throw new RangeError('at least one server is required')
  return server
}
