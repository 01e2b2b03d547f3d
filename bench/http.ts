/** The CPU time of a server per request, beside a bare server and the same job on frameworks. */

import type { BenchOptions, OperationName, PartResults } from './bench-options.js'
import { profileFlags, startServer } from './http/start-server.js'
import {
  createFigureRows,
  createGoalRow,
  createRatioRows,
  type Goals,
  type RatioRow,
  type RatioSource,
} from './ratios.js'
import type { Table } from './table.js'
import { type ItemSet, listSlices, type Sample, takeTurns } from './take-turns.js'
import { listVariants, type Variant } from './variants.js'

/** Bounds of the ratio to Fastify. The cache is for items that are used again: the set `few`. */
const goals: Readonly<Record<'plain' | 'cached', Goals>> = {
  plain: { create: 1.15, replace: 1.25, patch: 1.15, file: 1.25, mean: 1.15 },
  cached: { create: 1.15, replace: 1.1, patch: 0.95, file: 1.1, mean: 1.05 },
}
const competitors = ['bare', 'by-hand', 'fastify', 'hono', 'express']

/** Measures every build and the competitors. */
export async function benchHttp(options: BenchOptions): Promise<PartResults> {
  const { operations, isQuick, profile } = options
  const servers = options.servers ?? (isQuick ? ['bare', 'by-hand', 'fastify'] : competitors)
  const variants = await listVariants(options.builds)
  const samples = await takeTurns({
    title: 'http',
    start: () =>
      Promise.all(
        [...variants, ...servers].map((server) => {
          const name = typeof server === 'string' ? server : server.name
          return startServer({ server, flags: profileFlags(profile, `http-${name}`) })
        }),
      ),
    slices: listSlices(operations),
    generations: options.generations ?? (isQuick ? 2 : 5),
    rounds: options.rounds ?? 5,
    count: 1000,
    warmUp: isQuick ? 6000 : 16_000,
  })
  const names = [...variants.map(({ name }) => name), ...servers]
  const warm = { samples, operations, phase: 'warm', metric: 'cpu' } as const
  const cold = { ...warm, phase: 'cold' } as const
  const title = 'HTTP, CPU µs of the server process per request'
  return {
    tables: [
      { id: 'http', title: `${title}, warm`, rows: createFigureRows(warm, names, 'all') },
      {
        id: 'http-cold',
        title: `${title}, the first 1,000`,
        rows: createFigureRows(cold, names, 'all'),
      },
      ...createRatioTables(warm, variants, servers),
      {
        id: 'http-cold-ratios',
        title: 'HTTP, CPU of the first 1,000 requests ÷ others',
        rows: createRatioRows(
          cold,
          compareAll(variants, servers, ['all']).map(({ goals: _, ...row }) => row),
        ),
      },
      ...compareBuilds(
        samples,
        operations,
        options.builds.map(({ name }) => name),
      ),
    ],
  }
}

function createRatioTables(
  source: RatioSource,
  variants: readonly Variant[],
  servers: readonly string[],
): readonly Table[] {
  const { operations } = source
  const [head = [], ...rows] = createRatioRows(
    source,
    compareAll(variants, servers, ['all', 'few']),
  )
  const goalRows = [
    createGoalRow('goal ÷ fastify', operations, goals.plain, '<='),
    createGoalRow('goal ÷ fastify, with the cache', operations, goals.cached, '<='),
  ]
  const title = 'HTTP, CPU per request ÷ others, warm'
  return [{ id: 'http-ratios', title, rows: [head, ...goalRows, ...rows] }]
}

/** Every variant beside every competitor, for these sets of items. */
function compareAll(
  variants: readonly Variant[],
  servers: readonly string[],
  itemSets: readonly ItemSet[],
): readonly RatioRow[] {
  return servers.toReversed().flatMap((server) =>
    itemSets.flatMap((items) =>
      variants.map(({ name, cachedItems }): RatioRow => {
        const condition = items === 'few' ? ', the same 64 items' : ''
        const hasGoal = server === 'fastify' && (items === 'few') === cachedItems > 0
        return {
          title: `${name} ÷ ${server}${condition}`,
          pair: [name, server],
          items,
          goals: hasGoal ? goals[cachedItems > 0 ? 'cached' : 'plain'] : undefined,
        }
      }),
    ),
  )
}

/** The first build beside each further one. */
function compareBuilds(
  samples: readonly Sample[],
  operations: readonly OperationName[],
  [first = '', ...others]: readonly string[],
): readonly Table[] {
  if (others.length === 0) return []
  const rows = others.map((other): RatioRow => {
    return { title: `${first} ÷ ${other}`, pair: [first, other], items: 'all' }
  })
  const warm = { samples, operations, phase: 'warm' } as const
  return [
    {
      id: 'http-builds-cpu',
      title: 'HTTP, CPU per request, warm',
      rows: createRatioRows({ ...warm, metric: 'cpu' }, rows),
    },
    {
      id: 'http-builds-rate',
      title: 'HTTP, requests per second, warm',
      rows: createRatioRows({ ...warm, metric: 'rate' }, rows),
    },
  ]
}
