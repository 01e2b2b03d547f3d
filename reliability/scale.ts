/**
 * Shows that vaults can be spread over several PostgreSQL servers without anything but the interface of a store: the
 * contract holds on the routed store, every vault lies as a whole on one server, and a shard can be moved. A router
 * whose number of shards was changed must be caught. All servers share this machine, so it is not about speed.
 *
 * `npm run proof:scale -- [--short] [--servers 3]`
 */

import { parseArgs } from 'node:util'
import { createVaultService, type VaultService, type VaultStore } from 'cofferkit'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createPostgresStore, migratePostgres } from 'cofferkit/postgres'
import { blobStoreContract, recordStoreContract } from 'cofferkit/testing'
import { countMissing, type Filled, fillVaults } from './scale/fill-vaults.js'
import { routeVaults } from './scale/route-vaults.js'
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
const shardsAServer = 4
const [vaults, items] = values.short ? [24, 3] : [240, 10]

const servers = await Promise.all(Array.from({ length: Number(values.servers) }, openServer))
const failures: string[] = []
try {
  await holdContract()
  const shards = await createShards()
  const filled = await spreadVaults(shards)
  await moveOne(shards, filled)
  await encryptAbove(shards)
  await checkNegativeControl(shards, filled)
} finally {
  await Promise.all(servers.map(({ close }) => close()))
}
for (const failure of failures) print(failure)
if (failures.length > 0) {
  print(
    `again: npm run proof:scale -- ${values.short ? '--short ' : ''}--servers ${values.servers}`,
  )
  process.exitCode = 1
}

function demand(condition: boolean, failure: string): void {
  if (!condition) failures.push(failure)
}

/** Every case on a store that is routed over tables of its own on every server. */
async function holdContract(): Promise<void> {
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
  const made = Array.from({ length: shardsAServer * servers.length }, (_, number) =>
    createShard(serverAt(number % servers.length), `shard_${number}`),
  )
  return Promise.all(made)
}

function serve(shards: readonly Shard[]): VaultService {
  return createVaultService({ store: routeVaults(shards.map(({ store }) => store)) })
}

async function spreadVaults(shards: readonly Shard[]): Promise<Filled> {
  const began = performance.now()
  const filled = await fillVaults(serve(shards), vaults, items)
  const seconds = (performance.now() - began) / 1000
  print(`${vaults} vaults of ${items} items with a file: ${seconds.toFixed(1)} s`)
  await printServers(shards)
  demand((await countMissing(serve(shards), filled)) === 0, 'items are missing')
  const stats = await Promise.all(shards.map(countRows))
  const isWhole = stats.every(([count, records]) => records === count * items)
  demand(isWhole, 'a vault does not lie as a whole in one shard')
  return filled
}

async function moveOne(shards: Shard[], filled: Filled): Promise<void> {
  const [first] = shards
  if (first === undefined) return
  shards[0] = await moveShard(first, serverAt(servers.length - 1))
  print(`after ${first.schema} was moved to the last server:`)
  await printServers(shards)
  demand((await countMissing(serve(shards), filled)) === 0, 'items were lost by the move')
}

async function encryptAbove(shards: readonly Shard[]): Promise<void> {
  const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })
  const routed = routeVaults(shards.map(({ store }) => store))
  const service = createVaultService({ store: createEncryptedStore(routed, { keys }) })
  const filled = await fillVaults(service, 6, 2)
  demand((await countMissing(service, filled)) === 0, 'encrypted items are missing')
}

async function checkNegativeControl(shards: readonly Shard[], filled: Filled): Promise<void> {
  const missing = await countMissing(serve(shards.slice(1)), filled)
  print(`a router of one shard less does not find ${missing} of ${vaults * items} items`)
  demand(missing > 0, 'the broken variant was not caught')
}

async function printServers(shards: readonly Shard[]): Promise<void> {
  const counted = servers.map(async (server) => {
    const own = shards.filter(({ on }) => on === server)
    const stats = await Promise.all(own.map(countRows))
    const sum = (index: 0 | 1 | 2): number =>
      stats.reduce((total, count) => total + count[index], 0)
    const ref = new URL(server.server.url).host
    return { server: ref, shards: own.length, vaults: sum(0), items: sum(1), contents: sum(2) }
  })
  printTable(await Promise.all(counted))
}

function serverAt(index: number): ShardServer {
  const [server] = servers.slice(index)
  if (server === undefined) throw new RangeError('there must be a server')
  return server
}
