/** The operations whose cost is measured as a vault grows. */

import { draft, patch, vaultId } from '../sample.js'
import { median } from '../statistics.js'
import { type FilledVault, itemIdOf } from './vault.js'

/** The cost of an operation. */
export interface Cost {
  /** Median microseconds of a call. */
  readonly time: number
  /** CPU microseconds of a call in this process, which includes SQLite, but not PostgreSQL. */
  readonly cpu: number
}

/** An operation, on the item with this number. */
interface MeasuredOperation {
  readonly title: string
  /** Calls in a round. */
  readonly count: number
  /** Upper bound of the cost among the most items ÷ that among the fewest. */
  readonly goal: number
  /** Resolves with the id of a created item, which is removed after the round. */
  run(vault: FilledVault, index: number): Promise<string | undefined>
}

/** Titles from this number on are those of no stored item. */
const otherTitles = 1_000_000

/** The operations. */
export const measuredOperations: readonly MeasuredOperation[] = [
  {
    title: 'getItem',
    count: 1000,
    goal: 2.2,
    async run({ service, caller }, index) {
      await service.getItem(caller, { vaultId, itemId: itemIdOf(index) })
      return undefined
    },
  },
  {
    title: 'createItem',
    count: 300,
    goal: 1.25,
    async run({ service, caller }, index) {
      const item = draft(otherTitles + index)
      return (await service.createItem(caller, { vaultId, item })).id
    },
  },
  {
    title: 'patchItem',
    count: 300,
    goal: 1.25,
    async run({ service, caller }, index) {
      const changes = patch(index).filter(({ path }) => path !== '/title')
      await service.patchItem(caller, { vaultId, itemId: itemIdOf(index), patch: changes })
      return undefined
    },
  },
  {
    title: 'listItems, a page of 100',
    count: 50,
    goal: 1.5,
    async run({ service, caller, size }, index) {
      const after = itemIdOf(Math.min(index, size - 101))
      const page = await service.listItems(caller, { vaultId, limit: 100, after })
      if (page.length !== 100) throw new Error('the page is incomplete')
      return undefined
    },
  },
  {
    title: 'listItems, title eq',
    count: 500,
    goal: 2.2,
    async run({ service, caller }, index) {
      const filter = `title eq "${draft(index).title}"`
      const found = await service.listItems(caller, { vaultId, filter })
      if (found.length !== 1) throw new Error('not exactly one item was found')
      return undefined
    },
  },
]

/** Resolves with the cost of one round of calls, each for another random item. */
export async function measureCost(
  { count, run }: MeasuredOperation,
  vault: FilledVault,
): Promise<Cost> {
  const times: number[] = []
  const created: string[] = []
  const before = process.cpuUsage()
  for (let call = 0; call < count; call++) {
    const index = Math.floor(Math.random() * vault.size)
    const start = performance.now()
    const id = await run(vault, index)
    times.push((performance.now() - start) * 1000)
    if (id !== undefined) created.push(id)
  }
  const { user, system } = process.cpuUsage(before)
  for (const itemId of created) await vault.service.deleteItem(vault.caller, { vaultId, itemId })
  return { time: median(times), cpu: (user + system) / count }
}
