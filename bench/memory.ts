/** The bytes that an operation allocates, and the memory that a server with many items occupies. */

import type { BenchOptions, OperationName, PartResults } from './bench-options.js'
import { startServer } from './http/start-server.js'
import {
  type CountedProcess,
  type Counts,
  countBytes,
  startCountedContender,
  startCountedServer,
  warmUp,
} from './memory/count-operations.js'
import { countingFlags } from './memory/counters.js'
import { fixed, type Table } from './table.js'
import { listVariants, type Variant } from './variants.js'

interface Column {
  readonly name: string
  readonly bytes: Counts
}

const fewItems = 64

/** Measures every build, the baselines and a server by hand. */
export async function benchMemory(options: BenchOptions): Promise<PartResults> {
  const { operations, items = 100_000 } = options
  const variants = await listVariants(options.builds)
  const contenders: readonly (Variant | 'baseline')[] = ['baseline', ...variants]
  const servers: readonly (Variant | 'fastify')[] = ['fastify', ...variants]
  const inProcess: Column[] = []
  const http: Column[] = []
  const count = async (name: string, counted: CountedProcess): Promise<Column> => {
    try {
      await warmUp(counted, operations, 16_000)
      return { name, bytes: await countBytes(counted, operations) }
    } finally {
      await counted.stop()
    }
  }
  for (const contender of contenders) {
    const counted = await startCountedContender(contender, countingFlags)
    inProcess.push(await count(nameOf(contender), counted))
  }
  for (const server of servers)
    http.push(await count(nameOf(server), await startCountedServer(server, countingFlags)))
  return {
    tables: [
      createTable(
        'memory-in-process',
        'In process, KB allocated by one call',
        operations,
        inProcess,
      ),
      createTable('memory-http', 'HTTP, KB allocated by one request', operations, http),
      await measureResident(servers, items),
    ],
  }
}

function createTable(
  id: string,
  title: string,
  operations: readonly OperationName[],
  columns: readonly Column[],
): Table {
  const rows = operations.map((operation) => {
    const figures = columns.map(({ bytes }) => bytes[operation] ?? Number.NaN)
    const [baseline = Number.NaN, ...others] = figures
    return [
      operation,
      ...figures.map((figure) => fixed(figure / 1000, 1)),
      ...others.map((figure) => fixed(figure / baseline)),
    ]
  })
  const names = columns.map(({ name }) => name)
  const head = ['', ...names, ...names.slice(1).map((name) => `${name} ÷ ${names[0]}`)]
  return { id, title, rows: [head, ...rows] }
}

async function measureResident(
  servers: readonly (Variant | string)[],
  items: number,
): Promise<Table> {
  const rows: string[][] = []
  for (const server of servers) {
    const few = await measureServer(server, fewItems)
    const many = await measureServer(server, items)
    const perItem = (many - few) / (items - fewItems) / 1000
    rows.push([nameOf(server), fixed(few / 1e6, 0), fixed(many / 1e6, 0), fixed(perItem)])
  }
  const count = items.toLocaleString('en')
  const head = ['', `MB with ${fewItems} items`, `MB with ${count} items`, 'KB per item']
  const title = `Resident memory of a server, items of 2.3 KB with a file of 1 KB`
  return { id: 'memory-resident', title, rows: [head, ...rows] }
}

/** Resolves with the bytes that the process of a server occupies after a garbage collection. */
async function measureServer(server: Variant | string, count: number): Promise<number> {
  const { child, stop } = await startServer({
    server,
    options: { count },
    flags: ['--expose-gc'],
  })
  try {
    await child.request('startBytes')
    return await child.request('residentBytes')
  } finally {
    await stop()
  }
}

function nameOf(contender: Variant | string): string {
  return typeof contender === 'string' ? contender : contender.name
}
