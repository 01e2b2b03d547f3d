/** The cost of an operation in vaults of a thousand to a million items. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withPostgres } from '../reliability/support/postgres-server.js'
import {
  type OpenStore,
  openEncrypted,
  openMemory,
  openPostgres,
  openSqlite,
} from './growth/stores.js'
import { type FilledVault, fillVault, itemIdOf } from './growth/vault.js'
import { type LoadedBuild, loadBuild } from './load-build.js'
import { median } from './measure.js'
import type { BenchOptions } from './run.js'
import { draft, patch, vaultId } from './sample.js'
import { fixed, type Table } from './table.js'

interface Database {
  readonly title: string
  readonly open: (build: LoadedBuild, location: string, size: number) => Promise<OpenStore>
  /** The largest vault; any by default. */
  readonly maxSize?: number
}

/** An operation, on the item with this number. */
interface Operation {
  readonly title: string
  /** Calls in a round. */
  readonly count: number
  /** Resolves with the id of a created item, which is removed after the round. */
  run(vault: FilledVault, index: number): Promise<string | undefined>
}

const sizes = [1000, 100_000, 1_000_000]
/** Titles from this number on are those of no stored item. */
const otherTitles = 1_000_000

const operations: readonly Operation[] = [
  {
    title: 'get',
    count: 1000,
    async run({ service, caller }, index) {
      await service.getItem(caller, { vaultId, itemId: itemIdOf(index) })
      return undefined
    },
  },
  {
    title: 'create',
    count: 300,
    async run({ service, caller }, index) {
      const item = draft(otherTitles + index)
      return (await service.createItem(caller, { vaultId, item })).id
    },
  },
  {
    title: 'patch',
    count: 300,
    async run({ service, caller }, index) {
      const changes = patch(index).filter(({ path }) => path !== '/title')
      await service.patchItem(caller, { vaultId, itemId: itemIdOf(index), patch: changes })
      return undefined
    },
  },
  {
    title: 'a page of 100',
    count: 50,
    async run({ service, caller, size }, index) {
      const after = itemIdOf(Math.min(index, size - 101))
      const page = await service.listItems(caller, { vaultId, limit: 100, after })
      if (page.length !== 100) throw new Error('the page is incomplete')
      return undefined
    },
  },
  {
    title: 'a list by title',
    count: 500,
    async run({ service, caller }, index) {
      const filter = `title eq "${draft(index).title}"`
      const found = await service.listItems(caller, { vaultId, filter })
      if (found.length !== 1) throw new Error('not exactly one item was found')
      return undefined
    },
  },
  {
    title: 'a list by title in another case',
    count: 500,
    async run({ service, caller }, index) {
      const filter = `title eq "${draft(index).title.toUpperCase()}"`
      if ((await service.listItems(caller, { vaultId, filter })).length > 0)
        throw new Error('an item was found by a title in another case')
      const found = await service.listItems(caller, { vaultId, filter, ignoreCase: true })
      if (found.length !== 1) throw new Error('not exactly one item was found')
      return undefined
    },
  },
  {
    title: 'a reference',
    count: 500,
    run: ({ references }, index) => resolveField(references, draft(index).title),
  },
  {
    title: 'a reference in another case',
    count: 500,
    run: ({ references }, index) => resolveField(references, draft(index).title.toUpperCase()),
  },
  {
    title: 'a reference to nothing',
    count: 500,
    async run({ references }, index) {
      const { title } = draft(otherTitles + index)
      const error = await resolveField(references, title).catch((reason: unknown) => reason)
      if (!String(error).endsWith('item not found')) throw error
      return undefined
    },
  },
]

async function resolveField(
  references: FilledVault['references'],
  title: string,
): Promise<undefined> {
  await references.resolve(`op://bench/${title}/field1`)
}

/** Measures the first build. PostgreSQL is that of `DATABASE_URL`, or started for this part. */
export async function benchGrowth(options: BenchOptions): Promise<readonly Table[]> {
  const {
    builds: [{ url }],
    rounds = 5,
    items = 1_000_000,
  } = options
  const build = loadBuild(url)
  const measured = sizes.filter((size) => size <= items)
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-bench-'))
  const names = measured.map((size) => `${size.toLocaleString('en')} items`)
  const rows = [['', ...names, 'last ÷ first']]
  try {
    await withPostgres(async (server) => {
      const databases: readonly (Database & { readonly location: string })[] = [
        { title: 'memory', open: openMemory, location: '', maxSize: 100_000 },
        { title: 'encrypted, memory', open: openEncrypted, location: '', maxSize: 100_000 },
        { title: 'SQLite', open: openSqlite, location: folder },
        { title: 'PostgreSQL', open: openPostgres, location: server },
      ]
      for (const { title, open, location, maxSize = items } of databases) {
        const opened: OpenStore[] = []
        const vaults: FilledVault[] = []
        for (const size of measured.filter((one) => one <= maxSize)) {
          console.error(`${title}: filling a vault of ${size.toLocaleString('en')} items`)
          const store = await open(build, location, size)
          opened.push(store)
          vaults.push(await fillVault(build, store, size))
        }
        rows.push(...(await measureVaults(title, vaults, rounds, measured.length)))
        for (const { close } of opened) await close()
      }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return [{ id: 'growth', title: 'µs of one call, median', rows }]
}

/** The vaults take turns. The first round warms up. */
async function measureVaults(
  database: string,
  vaults: readonly FilledVault[],
  rounds: number,
  columns: number,
): Promise<readonly string[][]> {
  const rows: string[][] = []
  for (const operation of operations) {
    const times = vaults.map((): number[] => [])
    for (let round = -1; round < rounds; round++) {
      for (const [place, vault] of vaults.entries()) {
        const time = await measureRound(operation, vault)
        if (round >= 0) times[place]?.push(time)
      }
    }
    const medians = times.map(median)
    const ratio = (medians.at(-1) ?? Number.NaN) / (medians[0] ?? Number.NaN)
    const cells = Array.from({ length: columns }, (_, place) => {
      const time = medians[place]
      return time === undefined ? '' : fixed(time, 0)
    })
    rows.push([`${database}: ${operation.title}`, ...cells, fixed(ratio)])
  }
  return rows
}

/** Resolves with the median microseconds of calls, each for another random item. */
async function measureRound({ count, run }: Operation, vault: FilledVault): Promise<number> {
  const times: number[] = []
  const created: string[] = []
  for (let call = 0; call < count; call++) {
    const index = Math.floor(Math.random() * vault.size)
    const start = performance.now()
    const id = await run(vault, index)
    times.push((performance.now() - start) * 1000)
    if (id !== undefined) created.push(id)
  }
  for (const itemId of created) await vault.service.deleteItem(vault.caller, { vaultId, itemId })
  return median(times)
}
