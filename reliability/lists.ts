/**
 * Shows that a list of large items costs little at a time: items of one megabyte are listed from encrypted stores,
 * without a filter and with the most expensive one, and no list may hold 64 MB on top of what was held before, or keep
 * the event loop from its turn for 50 ms. A store that ignores `maxBytes` and a walk without turns must be caught.
 *
 * `npm run proof:lists -- [--short] [--items 500]`
 */

import { parseArgs } from 'node:util'
import { createVaultService, type VaultStore } from 'cofferkit'
import { caller, fillVault, taggedItem, wideItem, worstFilter } from './lists/large-items.js'
import { type Cost, measureCost } from './lists/measure-cost.js'
import { engineOf } from './support/stores.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, items: { type: 'string' } },
})
const items = Number(values.items ?? (values.short ? 100 : 500))
const mostBytes = 64 * 1_048_576
const mostMilliseconds = 50

const rows: Record<string, string | number>[] = []
const complaints: string[] = []
for (const name of ['encrypted-memory', 'encrypted-sqlite']) await prove(name)
printTable(rows)
for (const complaint of complaints) print(complaint)
if (complaints.length > 0) {
  print(`again: npm run proof:lists -- --items ${items}`)
  process.exitCode = 1
}

async function prove(name: string): Promise<void> {
  const engine = engineOf(name)
  const ref = await engine.create()
  const { store, close } = await engine.connect(ref.address)
  try {
    const service = createVaultService({ store })
    const wide = await fillVault(service, items, wideItem)
    const tagged = await fillVault(service, items / 5, taggedItem)
    const list = (vaultId: string, filter?: string) => () =>
      service.listItems(caller, { vaultId, filter })
    demand(name, await costOf(name, 'no filter', list(wide)))
    demand(name, await costOf(name, 'title co', list(wide, 'title co "none"')))
    const one = await costOf(name, 'tag co, in tags of 1 MB', list(tagged, 'tag co "none"'))
    const many = await costOf(name, 'the same, 64 comparisons', list(tagged, worstFilter))
    demand(name, one)
    demand(name, many)
    if (many.cpu > 3 * one.cpu) complaints.push(`${name}: a filter cost three times another`)
    await catchTwins(name, store, wide)
  } finally {
    await close()
    await ref.remove()
  }
}

async function catchTwins(name: string, store: VaultStore, vaultId: string): Promise<void> {
  const service = createVaultService({ store: withoutBound(store) })
  const list = () => service.listItems(caller, { vaultId })
  const twin = await costOf(name, 'twin: a store that ignores maxBytes', list)
  if (twin.held < mostBytes) complaints.push(`${name}: ignoring maxBytes was not caught`)
  const walk = await costOf(name, 'twin: a walk without turns', async () => {
    const records = await store.records.list(`items/${vaultId}`, { limit: items })
    return records.map(({ body }) =>
      JSON.parse(new TextDecoder().decode(body).split('\n')[1] ?? ''),
    )
  })
  if (walk.block < mostMilliseconds) complaints.push(`${name}: missing turns were not caught`)
}

function withoutBound({ records, blobs }: VaultStore): VaultStore {
  const list: VaultStore['records']['list'] = (collection, { maxBytes: _maxBytes, ...page }) =>
    records.list(collection, page)
  return { records: { ...records, list }, blobs }
}

async function costOf(name: string, what: string, work: () => Promise<unknown>): Promise<Cost> {
  const cost = await measureCost(work)
  rows.push({
    store: name,
    list: what,
    'held, MB': Math.round(cost.held / 1_048_576),
    'with garbage, MB': Math.round(cost.withGarbage / 1_048_576),
    'longest block, ms': Math.round(cost.block),
    'CPU, ms': Math.round(cost.cpu),
  })
  return cost
}

function demand(name: string, { held, block }: Cost): void {
  if (held >= mostBytes) complaints.push(`${name}: a list held more than 64 MB`)
  if (block >= mostMilliseconds) complaints.push(`${name}: a list blocked for more than 50 ms`)
}
