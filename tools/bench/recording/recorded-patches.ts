/** The cost of a patch whose call is recorded in a stored activity log. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { VaultStore } from 'cofferkit'
import pg from 'pg'
import { type LoadedBuild, loadBuild } from '../load-build.js'
import { median } from '../measure.js'
import type { BenchOptions } from '../run.js'
import { draft, patch, vaultId } from '../sample.js'
import { fixed, type Table } from '../table.js'

/** Patches of a round: more in memory, where they are fast. */
const counts: Readonly<Record<string, number>> = { memory: 400 }
const defaultCount = 50
const itemCount = 200

interface OpenStore {
  readonly store: VaultStore
  close(): Promise<void>
}

/** Opens an empty store. `name` is another one each time. */
type Open = (build: LoadedBuild, location: Location, name: string) => Promise<OpenStore>

interface Location {
  readonly folder: string
  readonly postgres: string
}

const stores: Readonly<Record<string, Open>> = {
  memory: async (build) => {
    return { store: (await build.memory()).createMemoryStore(), close: async () => {} }
  },
  SQLite: async (build, { folder }, name) => {
    const database = new DatabaseSync(join(folder, `${name}.db`))
    const store = (await build.sqlite()).createSqliteStore(database)
    return { store, close: async () => database.close() }
  },
  PostgreSQL: async (build, { postgres }, name) => {
    const { createPostgresStore, migratePostgres } = await build.postgres()
    const pool = new pg.Pool({ connectionString: postgres, max: 4 })
    pool.on('error', () => {})
    const tables = { tablePrefix: `${name}_` }
    await migratePostgres(pool, tables)
    return {
      store: createPostgresStore(pool, { ...tables, prepare: true }),
      close: () => pool.end(),
    }
  },
}

/** The microseconds of one patch. */
interface Cost {
  readonly cpu: number
  readonly wall: number
}

/**
 * Measures every build, and compares each with the last one. The same build given twice shows the
 * noise.
 */
export async function benchRecordedPatches(
  { builds, rounds = 10 }: BenchOptions,
  location: Location,
): Promise<Table> {
  const names = builds.map(({ name }) => name)
  const compared = names.slice(0, -1)
  const last = names.at(-1) ?? ''
  const rows = [
    [
      '',
      ...names.flatMap((name) => [`${name}: CPU`, 'wall']),
      ...compared.flatMap((name) => [`${name} ÷ ${last}: CPU`, 'wall']),
    ],
  ]
  for (const [title, open] of Object.entries(stores)) {
    console.error(`recorded patches: ${title}`)
    const contenders: Contender[] = []
    for (const [index, { url }] of builds.entries())
      contenders.push(await createContender(loadBuild(url), open, location, `recorded_${index}`))
    const costs = contenders.map((): Cost[] => [])
    for (let round = -3; round < rounds; round++) {
      for (const [index, { run }] of contenders.entries()) {
        const cost = await measureRound(run, counts[title] ?? defaultCount)
        if (round >= 0) costs[index]?.push(cost)
      }
    }
    for (const { close } of contenders) await close()
    const ratio = (place: number, metric: keyof Cost): string =>
      fixed(
        median(
          (costs[place] ?? []).map(
            (cost, round) => cost[metric] / (costs.at(-1)?.[round]?.[metric] ?? Number.NaN),
          ),
        ),
      )
    rows.push([
      title,
      ...costs.flatMap((list) => [
        fixed(median(list.map(({ cpu }) => cpu)), 0),
        fixed(median(list.map(({ wall }) => wall)), 0),
      ]),
      ...compared.flatMap((_, place) => [ratio(place, 'cpu'), ratio(place, 'wall')]),
    ])
  }
  return { id: 'recorded-patches', title: 'A patch that is recorded, µs', rows }
}

interface Contender {
  run(turn: number): Promise<unknown>
  close(): Promise<void>
}

async function createContender(
  build: LoadedBuild,
  open: Open,
  location: Location,
  name: string,
): Promise<Contender> {
  const { createVaultService, createCaller } = await build.core()
  const { createStoredActivityLog } = await build.activity()
  const { store, close } = await open(build, location, name)
  const service = createVaultService({ store, activity: createStoredActivityLog(store) })
  const caller = createCaller('bench', '*')
  await service.createVault(caller, { vaultId, name: 'Bench' })
  const itemIds: string[] = []
  for (let index = 0; index < itemCount; index++)
    itemIds.push((await service.createItem(caller, { vaultId, item: draft(index) })).id)
  return {
    run: (turn) => {
      const itemId = itemIds[turn % itemCount] ?? ''
      return service.patchItem(caller, { vaultId, itemId, patch: patch(turn) })
    },
    close,
  }
}

let turn = 0

async function measureRound(run: Contender['run'], count: number): Promise<Cost> {
  const [before, start] = [process.cpuUsage(), performance.now()]
  for (let index = 0; index < count; index++) await run(turn++)
  const [{ user, system }, end] = [process.cpuUsage(before), performance.now()]
  return { cpu: (user + system) / count, wall: ((end - start) * 1000) / count }
}
