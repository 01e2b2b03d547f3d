/** The cost of a list of ten credentials in vaults with many items. */

import { type LoadedBuild, loadBuild } from '../load-build.js'
import type { BenchOptions } from '../run.js'
import { vaultId } from '../sample.js'
import { fixed, type Table } from '../table.js'
import { countCalls } from './counted-store.js'
import { type MeasuredCall, measureCpu } from './cpu-time.js'
import { encrypted, type OpenLocalStore, openFastSqlite, openMemory } from './local-stores.js'
import { createTemplate, toRecord } from './vault.js'

const sizes = [1000, 100_000]
/** Lists of a round. */
const count = 50
const accounts = Array.from({ length: 10 }, (_, index) => ({ account: `account ${index}` }))

const stores: Readonly<Record<string, OpenLocalStore>> = {
  memory: openMemory,
  'encrypted memory': encrypted(openMemory),
  SQLite: openFastSqlite,
  'encrypted SQLite': encrypted(openFastSqlite),
}

interface FilledVault {
  readonly list: MeasuredCall
  /** The number of calls of the store so far. */
  countCalls(): number
  close(): void
}

/** Measures the first build. The files of SQLite are in this folder. */
export async function benchCredentialLists(
  { builds: [{ url }], rounds = 7, items = 1_000_000 }: BenchOptions,
  folder: string,
): Promise<Table> {
  const build = loadBuild(url)
  const measured = sizes.filter((size) => size <= items)
  const names = measured.map((size) => `${size.toLocaleString('en')} items`)
  const head = ['', ...names.flatMap((name) => [`${name}: store calls`, 'µs']), 'last ÷ first']
  const rows = [head]
  for (const [title, open] of Object.entries(stores)) {
    const vaults: FilledVault[] = []
    for (const size of measured) {
      console.error(`credentials: filling a vault of ${size} items, ${title}`)
      vaults.push(await openVault(open, build, folder, size))
    }
    const calls: number[] = []
    for (const { list, countCalls: countSoFar } of vaults) {
      const before = countSoFar()
      await list()
      calls.push(countSoFar() - before)
    }
    const lists = vaults.map(({ list }) => list)
    const costs = await measureCpu(lists, count, rounds)
    const [first = Number.NaN, last = Number.NaN] = costs
    const cells = calls.flatMap((number, index) => [`${number}`, fixed(costs[index] ?? 0, 0)])
    rows.push([title, ...cells, fixed(last / first)])
    for (const { close } of vaults) close()
  }
  return { id: 'credentials', title: 'A list of ten credentials: store calls, CPU µs', rows }
}

/** Opens a vault of `size` items besides the credentials. */
async function openVault(
  open: OpenLocalStore,
  build: LoadedBuild,
  folder: string,
  size: number,
): Promise<FilledVault> {
  const { createVaultService, createCaller } = await build.core()
  const { createCredentials } = await build.credentials()
  const { store, close } = await open(build, folder, `credentials-${crypto.randomUUID()}`)
  const counted = countCalls(store)
  const service = createVaultService({ store: counted.store })
  const caller = createCaller('bench', '*')
  await service.createVault(caller, { vaultId, name: 'Bench' })
  const template = await createTemplate(build, store, caller)
  for (let index = 0; index < size; index++) {
    const { key, record } = toRecord(template, index)
    await store.records.put(key, record, 0)
  }
  const kinds = { stripe: { fields: { key: { secret: true } }, origins: ['https://example.com'] } }
  const credentials = createCredentials(service, kinds).of(caller, vaultId)
  for (const account of accounts) await credentials.save('stripe', { key: 'secret-1' }, account)
  return {
    async list() {
      const views = await credentials.list()
      if (views.length !== accounts.length) throw new Error('the list is incomplete')
    },
    countCalls: () => counted.counts.calls,
    close,
  }
}
