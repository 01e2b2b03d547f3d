/**
 * Shows that a list of large items costs little at a time. Items of one megabyte are listed from
 * encrypted stores, without a filter and with the most expensive one. No list can take 64 MB of
 * live memory or block the event loop for 50 ms. The negative controls, a store that ignores
 * `maxBytes` and a scan that never yields to the event loop, must be caught.
 *
 * `npm run prove -- lists [--short] [--items 500]`
 */

import { parseArgs } from 'node:util'
import { createVaultService, type VaultStore } from 'cofferkit'
import { type Cost, measureCost } from './dos/measure-cost.js'
import {
  caller,
  createTaggedItem,
  createWideItem,
  fillVault,
  worstFilter,
} from './lists/large-items.js'
import { findEngine } from './support/stores.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, items: { type: 'string' } },
})
const items = Number(values.items ?? (values.short ? 100 : 500))
const maxLiveBytes = 64 * 1_048_576
const maxBlockMs = 50

const rows: Record<string, string | number>[] = []
const failures: string[] = []
for (const name of ['encrypted-memory', 'encrypted-sqlite']) await checkStore(name)
printTable(rows)
for (const failure of failures) print(failure)
if (failures.length > 0) {
  print(`again: npm run prove -- lists --items ${items}`)
  process.exitCode = 1
}

async function checkStore(name: string): Promise<void> {
  const engine = findEngine(name)
  const location = await engine.create()
  const { store, close } = await engine.connect(location.address)
  try {
    const service = createVaultService({ store })
    const wide = await fillVault(service, items, createWideItem)
    const tagged = await fillVault(service, items / 5, createTaggedItem)
    const list = (vaultId: string, filter?: string) => () =>
      service.listItems(caller, { vaultId, filter })
    requireLowCost(name, await measure(name, 'no filter', list(wide)))
    requireLowCost(name, await measure(name, 'title co', list(wide, 'title co "none"')))
    const one = await measure(name, 'tag co, in tags of 1 MB', list(tagged, 'tag co "none"'))
    const many = await measure(name, 'the same, 64 comparisons', list(tagged, worstFilter))
    requireLowCost(name, one)
    requireLowCost(name, many)
    await checkNegativeControls(name, store, wide)
  } finally {
    await close()
    await location.remove()
  }
}

async function checkNegativeControls(
  name: string,
  store: VaultStore,
  vaultId: string,
): Promise<void> {
  const service = createVaultService({ store: ignoreMaxBytes(store) })
  const list = () => service.listItems(caller, { vaultId })
  const unlimited = await measure(name, 'negative control: a store that ignores maxBytes', list)
  if (unlimited.live < maxLiveBytes) failures.push(`${name}: ignoring maxBytes was not caught`)
  const scan = await measure(name, 'negative control: a scan that never yields', async () => {
    const records = await store.records.list(`items/${vaultId}`, { limit: items })
    return records.map(({ body }) =>
      JSON.parse(new TextDecoder().decode(body).split('\n')[1] ?? ''),
    )
  })
  if (scan.block < maxBlockMs) failures.push(`${name}: a scan that never yields was not caught`)
}

function ignoreMaxBytes({ records, blobs }: VaultStore): VaultStore {
  const list: VaultStore['records']['list'] = (collection, { maxBytes: _maxBytes, ...page }) =>
    records.list(collection, page)
  return { records: { ...records, list }, blobs }
}

async function measure(name: string, title: string, work: () => Promise<unknown>): Promise<Cost> {
  const cost = await measureCost(work)
  rows.push({
    store: name,
    list: title,
    'live, MB': Math.round(cost.live / 1_048_576),
    'with garbage, MB': Math.round(cost.withGarbage / 1_048_576),
    'longest block, ms': Math.round(cost.block),
    'CPU, ms': Math.round(cost.cpu),
  })
  return cost
}

function requireLowCost(name: string, { live, block }: Cost): void {
  if (live >= maxLiveBytes) failures.push(`${name}: a list took more than 64 MB`)
  if (block >= maxBlockMs) failures.push(`${name}: a list blocked for more than 50 ms`)
}
