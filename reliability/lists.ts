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
import { findEngine } from './support/stores.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, items: { type: 'string' } },
})
const items = Number(values.items ?? (values.short ? 100 : 500))
const maxBytes = 64 * 1_048_576
const maxMilliseconds = 50

const rows: Record<string, string | number>[] = []
const failures: string[] = []
for (const name of ['encrypted-memory', 'encrypted-sqlite']) await prove(name)
printTable(rows)
for (const failure of failures) print(failure)
if (failures.length > 0) {
  print(`again: npm run proof:lists -- --items ${items}`)
  process.exitCode = 1
}

async function prove(name: string): Promise<void> {
  const engine = findEngine(name)
  const ref = await engine.create()
  const { store, close } = await engine.connect(ref.address)
  try {
    const service = createVaultService({ store })
    const wide = await fillVault(service, items, wideItem)
    const tagged = await fillVault(service, items / 5, taggedItem)
    const list = (vaultId: string, filter?: string) => () =>
      service.listItems(caller, { vaultId, filter })
    demand(name, await measure(name, 'no filter', list(wide)))
    demand(name, await measure(name, 'title co', list(wide, 'title co "none"')))
    const one = await measure(name, 'tag co, in tags of 1 MB', list(tagged, 'tag co "none"'))
    const many = await measure(name, 'the same, 64 comparisons', list(tagged, worstFilter))
    demand(name, one)
    demand(name, many)
    if (many.cpu > 3 * one.cpu) failures.push(`${name}: a filter cost three times another`)
    await checkNegativeControls(name, store, wide)
  } finally {
    await close()
    await ref.remove()
  }
}

async function checkNegativeControls(name: string, store: VaultStore, vaultId: string): Promise<void> {
  const service = createVaultService({ store: withoutBound(store) })
  const list = () => service.listItems(caller, { vaultId })
  const variant = await measure(name, 'variant: a store that ignores maxBytes', list)
  if (variant.held < maxBytes) failures.push(`${name}: ignoring maxBytes was not caught`)
  const walk = await measure(name, 'variant: a walk without turns', async () => {
    const records = await store.records.list(`items/${vaultId}`, { limit: items })
    return records.map(({ body }) =>
      JSON.parse(new TextDecoder().decode(body).split('\n')[1] ?? ''),
    )
  })
  if (walk.block < maxMilliseconds) failures.push(`${name}: missing turns were not caught`)
}

function withoutBound({ records, blobs }: VaultStore): VaultStore {
  const list: VaultStore['records']['list'] = (collection, { maxBytes: _maxBytes, ...page }) =>
    records.list(collection, page)
  return { records: { ...records, list }, blobs }
}

async function measure(name: string, what: string, work: () => Promise<unknown>): Promise<Cost> {
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
  if (held >= maxBytes) failures.push(`${name}: a list held more than 64 MB`)
  if (block >= maxMilliseconds) failures.push(`${name}: a list blocked for more than 50 ms`)
}
