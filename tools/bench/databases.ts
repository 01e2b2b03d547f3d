/** Requests per second to a vault in SQLite and in PostgreSQL, beside the same job by hand. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withPostgres } from '../reliability/support/postgres-server.js'
import { startServer } from './http/start-server.js'
import { generationRatios, median, medianFigure, operationNames, takeTurns } from './measure.js'
import type { BenchOptions } from './run.js'
import { fixed, type Table } from './table.js'

/** The databases, and the drivers by hand. */
const databases = [
  { storage: 'sqlite', title: 'SQLite', byHand: 'Express, better-sqlite3' },
  { storage: 'postgres', title: 'PostgreSQL', byHand: 'Express, pg' },
] as const

/** Measures every build. PostgreSQL is that of `DATABASE_URL`, or started for this part. */
export async function benchDatabases(options: BenchOptions): Promise<readonly Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-bench-'))
  const names = options.builds.map(({ name }) => name)
  const head = ['', 'by hand', ...names, ...names.map((name) => `${name} ÷ by hand`)]
  const rows = [[...head, 'CPU ÷ by hand']]
  try {
    await withPostgres(async (url) => {
      for (const database of databases) {
        const location = database.storage === 'sqlite' ? folder : url
        rows.push(...(await measure(options, database, location)))
      }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const title = 'Requests per second over 16 connections'
  return [{ id: 'databases', title, rows }]
}

async function measure(
  { builds, generations = 2, rounds = 5 }: BenchOptions,
  { storage, title, byHand }: (typeof databases)[number],
  location: string,
): Promise<readonly string[][]> {
  const options = { storage, location }
  const samples = await takeTurns({
    title,
    start: () =>
      Promise.all([
        startServer({ server: 'express', name: byHand, options }),
        ...builds.map((server) => startServer({ server, options })),
      ]),
    generations,
    rounds,
    count: 1000,
    warmUpRounds: 3,
  })
  const names = builds.map(({ name }) => name)
  return operationNames.map((operation) => {
    const ratio = (name: string, metric: 'cpu' | 'rate') =>
      fixed(median(generationRatios(samples, [name, byHand], operation, metric)))
    const rate = (name: string) => fixed(medianFigure(samples, name, operation, 'rate'), 0)
    return [
      `${title}: ${operation}`,
      ...[byHand, ...names].map(rate),
      ...names.map((name) => ratio(name, 'rate')),
      ratio(builds[0].name, 'cpu'),
    ]
  })
}
