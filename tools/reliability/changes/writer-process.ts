/**
 * A process that changes items until it kills itself at a call of the store. On its standard output
 * it reports each change that was acknowledged.
 */

import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCaller, createVaultService, isVaultError, type RecordStore } from 'cofferkit'
import { createStoredActivityLog } from 'cofferkit/activity'
import { openStore } from './open-store.js'

/** Options of a writer, passed as JSON in its first argument. */
export interface WriterOptions {
  readonly engine: string
  readonly address: string
  readonly vaultId: string
  readonly itemIds: readonly string[]
  /** The clock of this process is this much ahead. */
  readonly aheadMs: number
  /** The call of the store, from 1, before or after which the process kills itself. */
  readonly killAtCall: number
}

/** A line of the output: a change that was acknowledged. */
export interface Acknowledged {
  readonly type: 'item.created' | 'item.updated' | 'item.deleted'
  readonly itemId: string
  readonly version: number
  /** The time of the acknowledgement, on the clock of the machine. */
  readonly at: number
}

const options: WriterOptions = JSON.parse(process.argv[2] ?? '')
const { engine, address, vaultId, itemIds, aheadMs, killAtCall } = options
const inner = await openStore(engine, address)
let calls = 0
const store = { ...inner, records: withKills(inner.records) }
const service = createVaultService({
  store,
  activity: createStoredActivityLog(store),
  now: () => new Date(Date.now() + aheadMs),
})
const writer = service.as(createCaller('writer', '*'))

for (;;) {
  const itemId = itemIds[Math.floor(Math.random() * itemIds.length)] ?? ''
  await changeItem(itemId).catch((error: unknown) => {
    // Another process has deleted or created the item, or has locked the database for too long.
    if (!isVaultError(error)) throw error
  })
}

async function changeItem(itemId: string): Promise<void> {
  const ref = { vaultId, itemId }
  const { version } = await writer.getItem(ref).catch(() => ({ version: 0 }))
  if (version === 0) {
    const created = await writer.createItem({ ...ref, item: { category: 'LOGIN', title: 'new' } })
    return report('item.created', itemId, created.version)
  }
  if (Math.random() < 0.1) {
    await writer.deleteItem({ ...ref, ifVersion: version })
    return report('item.deleted', itemId, version)
  }
  const patch = [{ op: 'replace', path: '/title', value: String(Math.random()) }] as const
  report('item.updated', itemId, (await writer.patchItem({ ...ref, patch })).version)
}

function report(type: Acknowledged['type'], itemId: string, version: number): void {
  const acknowledged: Acknowledged = { type, itemId, version, at: Date.now() }
  writeSync(1, `${JSON.stringify(acknowledged)}\n`)
}

/** Between an entry and its change, a process can be without a turn. */
function withKills(records: RecordStore): RecordStore {
  const run = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const isLast = ++calls === killAtCall
    if (isLast && killAtCall % 2 === 0) process.kill(process.pid, 'SIGKILL')
    const result = await work()
    if (isLast) process.kill(process.pid, 'SIGKILL')
    return result
  }
  const pause = async (collection: string): Promise<void> => {
    if (collection.startsWith('items/') && Math.random() < 0.3) await sleep(Math.random() * 200)
  }
  return {
    get: (key) => run(() => records.get(key)),
    list: (...list) => run(() => records.list(...list)),
    put: (key, ...put) => run(() => pause(key.collection).then(() => records.put(key, ...put))),
    delete: (key, version) =>
      run(() => pause(key.collection).then(() => records.delete(key, version))),
  }
}
