/** The cost of a page of the activity log, and what is read for it. */

import type { ActivityEntry, ActivityLog, ListActivityInput } from 'cofferkit'
import { type LoadedBuild, loadBuild } from '../load-build.js'
import type { BenchOptions } from '../run.js'
import { fixed, type Table } from '../table.js'
import { type CountedStore, countCalls } from './counted-store.js'
import { type MeasuredCall, measureCpu } from './cpu-time.js'
import { encrypted, type OpenLocalStore, openFastSqlite, openMemory } from './local-stores.js'

const sizes = [1000, 100_000]
/** Pages of a round. */
const count = 20
/** The time between two entries: a day has 100. */
const intervalMs = 864_000
const dayMs = 86_400_000
const newestTime = Date.parse('2026-01-01T00:00:00.000Z')

const vaultIds = ['a'.repeat(26), 'b'.repeat(26)] as const
const [vaultId] = vaultIds
const itemId = 'i'.repeat(26)
const day = (ago: number): string => new Date(newestTime - ago * dayMs).toISOString()

/** The filters, of which each but the last is that of 50 entries among the newest 1,000. */
const pages: Readonly<Record<string, ListActivityInput>> = {
  'the newest 50': {},
  '50 of one vault': { vaultId },
  'one item': { vaultId, itemId },
  'one caller': { callerId: 'caller-7' },
  'one day': { since: day(6), until: day(5) },
  'an operation of no entry': { operation: 'getVersion' },
}

/** A log with many entries, whose service lists them and records nothing. */
interface FilledLog {
  list(input: ListActivityInput): Promise<unknown>
  /** The number of entries or records that were read so far. */
  countRead(): number
  close(): void
}

type OpenLog = (build: LoadedBuild, folder: string, size: number) => Promise<FilledLog>

const logs: Readonly<Record<string, OpenLog>> = {
  memory: openMemoryLog,
  SQLite: (...options) => openStoredLog(openFastSqlite, ...options),
  'encrypted SQLite': (...options) => openStoredLog(encrypted(openFastSqlite), ...options),
  'encrypted memory': (...options) => openStoredLog(encrypted(openMemory), ...options),
}

/** Measures the first build. The files of SQLite are in this folder. */
export async function benchActivityPages(
  { builds: [{ url }], rounds = 7, items = 1_000_000 }: BenchOptions,
  folder: string,
): Promise<Table> {
  const measured = sizes.filter((size) => size <= items)
  const names = measured.map((size) => size.toLocaleString('en'))
  const head = ['', ...names.flatMap((name) => [`${name}: read`, 'µs']), 'last ÷ first']
  const rows = [head]
  const build = loadBuild(url)
  for (const [title, open] of Object.entries(logs)) {
    const filled: FilledLog[] = []
    for (const size of measured) {
      console.error(`activity: filling a log of ${size} entries, ${title}`)
      filled.push(await open(build, folder, size))
    }
    for (const [name, input] of Object.entries(pages))
      rows.push([`${title}: ${name}`, ...(await measurePage(filled, input, rounds))])
    for (const { close } of filled) close()
  }
  return { id: 'activity', title: 'A page of the activity log: entries read, CPU µs', rows }
}

async function measurePage(
  filled: readonly FilledLog[],
  input: ListActivityInput,
  rounds: number,
): Promise<readonly string[]> {
  const read: number[] = []
  for (const { list, countRead } of filled) {
    const before = countRead()
    await list(input)
    read.push(countRead() - before)
  }
  const calls = filled.map(
    ({ list }): MeasuredCall =>
      () =>
        list(input),
  )
  const costs = await measureCpu(calls, count, rounds)
  const [first = Number.NaN, last = Number.NaN] = costs
  return [
    ...read.flatMap((number, index) => [`${number}`, fixed(costs[index] ?? Number.NaN, 0)]),
    fixed(last / first),
  ]
}

async function openMemoryLog(
  build: LoadedBuild,
  _folder: string,
  size: number,
): Promise<FilledLog> {
  const { createMemoryActivityLog } = await build.activity()
  const log = createMemoryActivityLog({ maxEntries: size })
  await fill(log, size)
  let read = 0
  const entries: ActivityLog['entries'] = async function* (options) {
    for await (const entry of log.entries(options)) {
      read++
      yield entry
    }
  }
  return { ...(await createList(build, { ...log, entries })), countRead: () => read, close() {} }
}

async function openStoredLog(
  open: OpenLocalStore,
  build: LoadedBuild,
  folder: string,
  size: number,
): Promise<FilledLog> {
  const { createStoredActivityLog } = await build.activity()
  const { store, close } = await open(build, folder, `activity-${crypto.randomUUID()}`)
  const { store: counted, counts }: CountedStore = countCalls(store)
  const log = createStoredActivityLog(counted)
  await fill(log, size)
  return { ...(await createList(build, log)), countRead: () => counts.listed, close }
}

async function createList(build: LoadedBuild, log: ActivityLog): Promise<Pick<FilledLog, 'list'>> {
  const { createVaultService, createCaller } = await build.core()
  const { createMemoryStore } = await build.memory()
  const activity = { ...log, record: async () => {} }
  const service = createVaultService({ store: createMemoryStore(), activity })
  const caller = createCaller('bench', '*')
  return { list: (input) => service.listActivity(caller, input) }
}

/** Records entries, the newest one last. */
async function fill(log: ActivityLog, size: number): Promise<void> {
  for (let index = 0; index < size; index++) await log.record(createEntry(index, size))
}

/** Half of the entries are of the vault, one in twenty of the item, and one in ten of a caller. */
function createEntry(index: number, size: number): ActivityEntry {
  const time = newestTime - (size - index) * intervalMs
  return {
    requestId: `00000000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`,
    timestamp: new Date(time).toISOString(),
    durationMs: 3,
    operation: 'getItem',
    action: 'READ',
    result: 'SUCCESS',
    actor: { id: `caller-${index % 10}` },
    resource: {
      type: 'ITEM',
      vault: { id: vaultIds[index % 2] ?? vaultId },
      item: { id: index % 20 === 0 ? itemId : 'j'.repeat(26) },
      itemVersion: 1,
    },
  }
}
