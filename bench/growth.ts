/** The cost of an operation in vaults of a thousand to a million items, and long lists. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withPostgres } from '../reliability/support/postgres-server.js'
import type { BenchOptions, Image, PartResults } from './bench-options.js'
import { measureListing } from './growth/longest-block.js'
import { type Cost, measureCost, measuredOperations } from './growth/operations.js'
import { drawPlot } from './growth/plot.js'
import { createMemory, type OpenStore, openPostgres, openSqlite } from './growth/stores.js'
import { type FilledVault, fillVault } from './growth/vault.js'
import { type LoadedBuild, loadBuild } from './load-build.js'
import { median } from './statistics.js'
import { fixed, type Table, verdict } from './table.js'

type Metric = keyof Cost

/** The costs of one operation: those of each round, for each vault. */
interface Growth {
  readonly title: string
  readonly goal: number
  readonly rounds: readonly (readonly Cost[])[]
}

interface Database {
  readonly id: string
  readonly title: string
  readonly open: (build: LoadedBuild, location: string, size: number) => Promise<OpenStore>
}

const databases: readonly Database[] = [
  { id: 'sqlite', title: 'SQLite', open: openSqlite },
  { id: 'postgres', title: 'PostgreSQL', open: openPostgres },
]
const metrics: Readonly<Record<Metric, string>> = {
  time: 'µs of one call, median',
  cpu: 'CPU µs of one call in the process of the vault',
}
const sizes = [1000, 10_000, 100_000, 1_000_000]
const listedSize = 100_000
const maxBlockMs = 50

/** Measures the first build. PostgreSQL is that of `DATABASE_URL`, or started for this part. */
export async function benchGrowth({
  builds: [{ url }],
  rounds = 7,
  items = 1_000_000,
}: BenchOptions): Promise<PartResults> {
  const build = loadBuild(url)
  const measured = sizes.filter((size) => size <= items)
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-bench-'))
  const tables: Table[] = []
  const images: Image[] = []
  const lists = [['', 'items', 'seconds', 'longest block, ms', 'goal', '']]
  const list = async (title: string, vault: FilledVault): Promise<void> => {
    const { items, seconds, longestBlockMs } = await measureListing(vault)
    const verdictOfBlock = verdict(longestBlockMs, maxBlockMs)
    const block = fixed(longestBlockMs, 0)
    lists.push([title, `${items}`, fixed(seconds, 1), block, `<= ${maxBlockMs}`, verdictOfBlock])
  }
  try {
    const memory = await createMemory(build)
    await list('memory', await fillVault(build, memory, Math.min(items, listedSize)))
    await withPostgres(async (server) => {
      for (const { id, title, open } of databases) {
        const opened: OpenStore[] = []
        const vaults: FilledVault[] = []
        for (const size of measured) {
          console.error(`${title}: filling a vault of ${size.toLocaleString('en')} items`)
          const store = await open(build, id === 'sqlite' ? folder : server, size)
          opened.push(store)
          vaults.push(await fillVault(build, store, size))
        }
        const growths = await measureGrowth(vaults, rounds)
        for (const metric of ['time', 'cpu'] as const) {
          tables.push(createTable(`growth-${id}-${metric}`, title, metric, measured, growths))
          images.push(createImage(`growth-${id}-${metric}.svg`, title, metric, measured, growths))
        }
        const listed = vaults.findLast(({ size }) => size <= listedSize)
        if (listed !== undefined) await list(title, listed)
        for (const { close } of opened) await close()
      }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const title = 'All items of a vault, in pages of 1,000'
  return { tables: [...tables, { id: 'growth-lists', title, rows: lists }], images }
}

/** The vaults take turns. The first round warms up. */
async function measureGrowth(
  vaults: readonly FilledVault[],
  rounds: number,
): Promise<readonly Growth[]> {
  const growths = measuredOperations.map(({ title, goal }) => {
    return { title, goal, rounds: vaults.map((): Cost[] => []) }
  })
  for (let round = -1; round < rounds; round++) {
    for (const [position, operation] of measuredOperations.entries()) {
      for (const [place, vault] of vaults.entries()) {
        const cost = await measureCost(operation, vault)
        if (round >= 0) growths[position]?.rounds[place]?.push(cost)
      }
    }
  }
  return growths
}

function mediansOf({ rounds }: Growth, metric: Metric): readonly number[] {
  return rounds.map((costs) => median(costs.map((cost) => cost[metric])))
}

function createTable(
  id: string,
  database: string,
  metric: Metric,
  counts: readonly number[],
  growths: readonly Growth[],
): Table {
  const rows = growths.map((growth) => {
    const medians = mediansOf(growth, metric)
    const ratio = (medians.at(-1) ?? Number.NaN) / (medians[0] ?? Number.NaN)
    const cells = medians.map((figure) => fixed(figure, 0))
    const { title, goal } = growth
    return [title, ...cells, fixed(ratio), `<= ${fixed(goal)}`, verdict(ratio, goal)]
  })
  const names = counts.map((count) => `${count.toLocaleString('en')} items`)
  const head = ['', ...names, 'last ÷ first', 'goal', '']
  return { id, title: `${database}, ${metrics[metric]}`, rows: [head, ...rows] }
}

function createImage(
  name: string,
  database: string,
  metric: Metric,
  counts: readonly number[],
  growths: readonly Growth[],
): Image {
  const curves = growths.map((growth) => {
    const medians = mediansOf(growth, metric)
    const values = medians.map((figure) => figure / (medians[0] ?? Number.NaN))
    return { title: growth.title, values }
  })
  const title = `${database}: ${metrics[metric]}, ÷ that of ${counts[0]?.toLocaleString('en')} items`
  const svg = drawPlot({ title, xTitle: 'items of the vault', positions: counts, curves })
  return { name, svg }
}
