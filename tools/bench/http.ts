/** The CPU time of a server per request, beside a bare server and the same job by hand. */

import { startServer } from './http/start-server.js'
import { generationRatios, median, medianFigure, operationNames, takeTurns } from './measure.js'
import type { BenchOptions } from './run.js'
import { fixed, formatRange, type Table } from './table.js'

/** Requests before and during the count of survivors. */
const [warmUpCount, survivorCount] = [5_000, 20_000]

/** The operations whose survivors are counted. A new item survives anyway. */
const observedOperations = ['replace', 'patch', 'file'] as const

const competitors = ['bare', 'fastify', 'express']

/** Measures every build and the servers by hand. */
export async function benchHttp({
  builds,
  generations = 3,
  rounds = 5,
}: BenchOptions): Promise<readonly Table[]> {
  const samples = await takeTurns({
    title: 'http',
    start: () => Promise.all([...builds, ...competitors].map((server) => startServer({ server }))),
    generations,
    rounds,
    count: 1000,
    warmUpRounds: 8,
  })
  const [{ name: measured }, ...others] = builds
  const names = [measured, ...others.map(({ name }) => name), ...competitors]
  const ratios = (other: string, operation: (typeof operationNames)[number]) =>
    generationRatios(samples, [measured, other], operation, 'cpu')
  const rows = operationNames.map((operation) => [
    operation,
    ...names.map((name) => fixed(medianFigure(samples, name, operation, 'cpu'), 1)),
    ...names.slice(1).map((name) => fixed(median(ratios(name, operation)))),
  ])
  const head = ['', ...names, ...names.slice(1).map((name) => `÷ ${name}`)]
  const title = 'HTTP, CPU µs of the server process per request'
  const tables = [{ id: 'http', title, rows: [head, ...rows] }, await tabulateSurvivors(builds)]
  if (others.length === 0) return tables
  const comparison = operationNames.map((operation) => [
    operation,
    ...others.flatMap(({ name }) => {
      const found = ratios(name, operation)
      return [fixed(median(found)), formatRange(found)]
    }),
  ])
  const buildHead = others.flatMap(({ name }) => [`÷ ${name}`, 'of generations'])
  return [
    ...tables,
    {
      id: 'http-builds',
      title: 'HTTP, CPU per request ÷ other builds',
      rows: [['', ...buildHead], ...comparison],
    },
  ]
}

/** Returns how many bytes of a request survive the collection after it. */
async function tabulateSurvivors(builds: BenchOptions['builds']): Promise<Table> {
  const columns: (readonly string[])[] = []
  for (const server of [...builds, 'fastify']) {
    const { name, countSurvivors, stop } = await startServer({ server })
    const cells: string[] = []
    for (const operation of observedOperations) {
      await countSurvivors(operation, warmUpCount)
      cells.push(fixed(await countSurvivors(operation, survivorCount), 0))
    }
    await stop()
    columns.push([name, ...cells])
  }
  const rows = ['', ...observedOperations].map((operation, row) => [
    operation,
    ...columns.map((column) => column[row] ?? ''),
  ])
  return { id: 'http-survivors', title: 'HTTP, bytes of a request that survive a collection', rows }
}
