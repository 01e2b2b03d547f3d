/** Clients that make random calls to a record store at the same time, and record the results. */

import type { RecordQuery, RecordStore } from 'cofferkit'
import { createSeededRandom, type SeededRandom } from '../support/seeded-random.js'
import { createFlakyStore, type FlakyOptions } from './flaky-store.js'
import type { Operation, Outcome } from './history.js'

/** The work of the clients of one process. */
export interface Plan extends Omit<FlakyOptions, 'random'> {
  readonly seed: number
  readonly clients: number
  /** Operations of each client. */
  readonly operations: number
  readonly collection: string
  readonly ids: readonly string[]
}

interface Client {
  readonly records: RecordStore
  readonly plan: Plan
  readonly random: SeededRandom
  /** The last known version of each id. */
  readonly versions: Map<string, number>
  nextValue(): string
}

const indexKeys = ['red', 'blue', undefined]

/** Resolves with all operations when every call has returned and every late write has ended. */
export async function runClients(inner: RecordStore, plan: Plan): Promise<Operation[]> {
  const random = createSeededRandom(plan.seed)
  const flaky = { ...plan, random: createSeededRandom(plan.seed + 1) }
  const { records, settle } = createFlakyStore(inner, flaky)
  let values = 0
  const nextValue = (): string => `${plan.seed}-${++values}`
  const clients = Array.from({ length: plan.clients }, () =>
    runClient({ records, plan, random, versions: new Map(), nextValue }),
  )
  const histories = await Promise.all(clients)
  await settle()
  return histories.flat()
}

async function runClient(client: Client): Promise<Operation[]> {
  const history: Operation[] = []
  for (let count = 0; count < client.plan.operations; count++) {
    const operation = await callStore(client)
    if (operation !== undefined) history.push(operation)
  }
  return history
}

/** Makes one random call. Resolves with the operation, or undefined for a read that failed. */
function callStore(client: Client): Promise<Operation | undefined> {
  const choice = client.random.below(100)
  const id = client.random.pick(client.plan.ids)
  if (choice < 30) return get(client, id)
  if (choice < 70) return put(client, id)
  if (choice < 80) return remove(client, id)
  return list(client)
}

async function get(
  { records, plan, versions }: Client,
  id: string,
): Promise<Operation | undefined> {
  const called = now()
  const result = await timeCall(() => records.get({ collection: plan.collection, id }))
  if (result === undefined) return undefined
  const { value: stored, returned } = result
  versions.set(id, stored?.version ?? 0)
  const found = stored && { version: stored.version, value: decodeText(stored.body) }
  return { kind: 'get', id, called, returned, found }
}

async function put(client: Client, id: string): Promise<Operation> {
  const { records, plan, random, versions } = client
  const expectedVersion = chooseVersion(client, id)
  const value = client.nextValue()
  const indexKey = random.pick(indexKeys)
  const record = {
    body: new TextEncoder().encode(value),
    ...(indexKey !== undefined && { indexKey }),
  }
  const key = { collection: plan.collection, id }
  const called = now()
  const result = await timeCall(() => records.put(key, record, expectedVersion))
  if (result?.value === true) versions.set(id, expectedVersion + 1)
  return { kind: 'put', id, expectedVersion, value, indexKey, called, ...toOutcome(result) }
}

async function remove(client: Client, id: string): Promise<Operation> {
  const { records, plan, versions } = client
  const expectedVersion = chooseVersion(client, id)
  const key = { collection: plan.collection, id }
  const called = now()
  const result = await timeCall(() => records.delete(key, expectedVersion))
  if (result?.value === true) versions.set(id, 0)
  return { kind: 'delete', id, expectedVersion, called, ...toOutcome(result) }
}

async function list({ records, plan, random, versions }: Client): Promise<Operation | undefined> {
  const indexKey = random.pick(indexKeys)
  const page: RecordQuery = {
    limit: 1 + random.below(plan.ids.length + 2),
    ...(indexKey !== undefined && { indexKey }),
    ...(random.percent(30) && { after: random.pick(plan.ids) }),
  }
  const called = now()
  const result = await timeCall(() => records.list(plan.collection, page))
  if (result === undefined) return undefined
  for (const { id, version } of result.value) versions.set(id, version)
  const found = result.value.map(({ id, version, body }) => ({
    id,
    version,
    value: decodeText(body),
  }))
  return { kind: 'list', page, called, returned: result.returned, found }
}

/** Usually the last known version, in 15 of 100 cases any version from 0 to 3. */
function chooseVersion({ random, versions }: Client, id: string): number {
  return random.percent(15) ? random.below(4) : (versions.get(id) ?? 0)
}

interface TimedResult<Value> {
  readonly value: Value
  readonly returned: number
}

/** The result of a call and the time of its return; undefined if the call failed. */
async function timeCall<Value>(
  call: () => Promise<Value>,
): Promise<TimedResult<Value> | undefined> {
  try {
    return { value: await call(), returned: now() }
  } catch {
    return undefined
  }
}

function toOutcome(result: TimedResult<boolean> | undefined): {
  outcome: Outcome
  returned: number
} {
  if (result === undefined) return { outcome: 'unknown', returned: Number.POSITIVE_INFINITY }
  return { outcome: result.value, returned: result.returned }
}

/** Nanoseconds of the machine's monotonic clock, which is the same for all its processes. */
function now(): number {
  return Number(process.hrtime.bigint())
}

function decodeText(body: Uint8Array): string {
  return new TextDecoder().decode(body)
}
