/** Requests per second to a vault in SQLite and in PostgreSQL, beside the same job by hand. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withPostgres } from '../reliability/support/postgres-server.js'
import type { BenchOptions, PartResults } from './bench-options.js'
import type { StorageKind } from './http/created-server.js'
import { startServer } from './http/start-server.js'
import {
  createFigureRows,
  createGoalRow,
  createRatioRows,
  type Goals,
  type RatioRow,
} from './ratios.js'
import { type Runner, type Slice, takeTurns } from './take-turns.js'
import { listVariants, type Variant } from './variants.js'

/** A database, and its driver by hand. */
interface Database {
  readonly storage: StorageKind
  readonly title: string
  readonly byHand: string
  /** Lower bounds of the ratio of requests per second. */
  readonly goals: Goals
}

const databases: readonly Database[] = [
  {
    storage: 'sqlite',
    title: 'SQLite',
    byHand: 'express, better-sqlite3',
    goals: { create: 2.5, replace: 2.5, patch: 2.5, file: 1.2 },
  },
  {
    storage: 'postgres',
    title: 'PostgreSQL',
    byHand: 'express, pg',
    goals: { create: 1, replace: 1, patch: 1, file: 1 },
  },
]

/** Measures every build. PostgreSQL is that of `DATABASE_URL`, or started for this part. */
export async function benchDatabases(options: BenchOptions): Promise<PartResults> {
  const variants = await listVariants(options.builds)
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-bench-'))
  try {
    return await withPostgres(async (url) => {
      const tables: PartResults['tables'][number][] = []
      for (const database of databases) {
        const location = database.storage === 'sqlite' ? folder : url
        tables.push(...(await measure(options, variants, database, location)))
      }
      return { tables }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(
  { operations, ...options }: BenchOptions,
  variants: readonly Variant[],
  { storage, title, byHand, goals }: Database,
  location: string,
): Promise<PartResults['tables']> {
  const start = async (): Promise<readonly Runner[]> => {
    const conditions = { storage, location, count: 4096 }
    const hand = await startServer({ server: 'express', name: byHand, options: conditions })
    const measured = variants.map((server) => startServer({ server, options: conditions }))
    return [hand, ...(await Promise.all(measured))]
  }
  const samples = await takeTurns({
    title,
    start,
    slices: operations.map((operation): Slice => ({ operation, items: 'all' })),
    generations: options.generations ?? 3,
    rounds: options.rounds ?? 5,
    count: 1000,
    warmUp: 4000,
  })
  const rate = { samples, operations, phase: 'warm', metric: 'rate' } as const
  const rows = variants.map(({ name }): RatioRow => {
    return { title: `${name} ÷ ${byHand}`, pair: [name, byHand], items: 'all', goals }
  })
  const cpuRows = rows.map(({ goals: _, ...row }) => row)
  const [head = [], ...ratios] = createRatioRows(rate, rows)
  const names = [byHand, ...variants.map(({ name }) => name)]
  return [
    {
      id: `${storage}-http`,
      title: `${title}, requests per second over 16 connections`,
      rows: createFigureRows(rate, names, 'all'),
    },
    {
      id: `${storage}-http-ratios`,
      title: `${title}, requests per second ÷ by hand`,
      rows: [head, createGoalRow('goal', operations, goals, '>='), ...ratios],
    },
    {
      id: `${storage}-http-cpu`,
      title: `${title}, CPU of the server process per request ÷ by hand`,
      rows: createRatioRows({ ...rate, metric: 'cpu' }, cpuRows),
    },
  ]
}
