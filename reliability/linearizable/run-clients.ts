/** Clients that ask a record store at random, several at once, and write down what they were told. */

import type { RecordQuery, RecordStore } from 'cofferkit'
import { createSeededRandom, type SeededRandom } from '../support/seeded-random.js'
import { createFlakyStore } from './flaky-store.js'
import type { Operation, Outcome } from './history.js'

/** What the clients of one process do. */
export interface Plan {
  readonly seed: number
  readonly clients: number
  /** Of each client. */
  readonly operations: number
  readonly collection: string
  readonly ids: readonly string[]
  /** How many of 100 calls fail. */
  readonly failing: number
  /** How many turns of the event loop a call may wait. */
  readonly turns: number
}

interface Client {
  readonly records: RecordStore
  readonly plan: Plan
  readonly random: SeededRandom
  /** The version that it last knew of each id. */
  readonly known: Map<string, number>
  nextValue(): string
}

const labels = ['red', 'blue', undefined]

/** Resolves with what was asked, when all is answered and nothing is left to happen. */
export async function runClients(inner: RecordStore, plan: Plan): Promise<Operation[]> {
  const random = createSeededRandom(plan.seed)
  const { records, settled } = createFlakyStore(inner, { ...plan, random: createSeededRandom(plan.seed + 1) })
  let values = 0
  const nextValue = (): string => `${plan.seed}-${++values}`
  const clients = Array.from({ length: plan.clients }, () =>
    runClient({ records, plan, random, known: new Map(), nextValue }),
  )
  const histories = await Promise.all(clients)
  await settled()
  return histories.flat()
}

async function runClient(client: Client): Promise<Operation[]> {
  const history: Operation[] = []
  for (let count = 0; count < client.plan.operations; count++) {
    const operation = await ask(client)
    if (operation !== undefined) history.push(operation)
  }
  return history
}

/** One operation, as it went; undefined for a read that failed. */
function ask(client: Client): Promise<Operation | undefined> {
  const choice = client.random.below(100)
  const id = client.random.pick(client.plan.ids)
  if (choice < 30) return get(client, id)
  if (choice < 70) return put(client, id)
  if (choice < 80) return remove(client, id)
  return list(client)
}

async function get({ records, plan, known }: Client, id: string): Promise<Operation | undefined> {
  const called = now()
  const answer = await told(() => records.get({ collection: plan.collection, id }))
  if (answer === undefined) return undefined
  const { value: stored, returned } = answer
  known.set(id, stored?.version ?? 0)
  const found = stored && { version: stored.version, value: textOf(stored.body) }
  return { kind: 'get', id, called, returned, found }
}

async function put(client: Client, id: string): Promise<Operation> {
  const { records, plan, random, known } = client
  const [seen, value, indexKey] = [seenOf(client, id), client.nextValue(), random.pick(labels)]
  const record = {
    body: new TextEncoder().encode(value),
    ...(indexKey !== undefined && { indexKey }),
  }
  const called = now()
  const answer = await told(() => records.put({ collection: plan.collection, id }, record, seen))
  if (answer?.value === true) known.set(id, seen + 1)
  return {
    kind: 'put',
    id,
    seen,
    value,
    label: indexKey,
    called,
    ...outcomeOf(answer),
  }
}

async function remove(client: Client, id: string): Promise<Operation> {
  const { records, plan, known } = client
  const seen = seenOf(client, id)
  const called = now()
  const answer = await told(() => records.delete({ collection: plan.collection, id }, seen))
  if (answer?.value === true) known.set(id, 0)
  return { kind: 'delete', id, seen, called, ...outcomeOf(answer) }
}

async function list({ records, plan, random, known }: Client): Promise<Operation | undefined> {
  const indexKey = random.pick(labels)
  const page: RecordQuery = {
    limit: 1 + random.below(plan.ids.length + 2),
    ...(indexKey !== undefined && { label: indexKey }),
    ...(random.percent(30) && { after: random.pick(plan.ids) }),
  }
  const called = now()
  const answer = await told(() => records.list(plan.collection, page))
  if (answer === undefined) return undefined
  for (const { id, version } of answer.value) known.set(id, version)
  const found = answer.value.map(({ id, version, body }) => ({ id, version, value: textOf(body) }))
  return { kind: 'list', page, called, returned: answer.returned, found }
}

/** Mostly the version that the client knows, now and then another. */
function seenOf({ random, known }: Client, id: string): number {
  return random.percent(15) ? random.below(4) : (known.get(id) ?? 0)
}

interface Told<Value> {
  readonly value: Value
  readonly returned: number
}

/** What was answered, and when; undefined if the call failed. */
async function told<Value>(call: () => Promise<Value>): Promise<Told<Value> | undefined> {
  try {
    return { value: await call(), returned: now() }
  } catch {
    return undefined
  }
}

function outcomeOf(answer: Told<boolean> | undefined): { outcome: Outcome; returned: number } {
  if (answer === undefined) return { outcome: 'unknown', returned: Number.POSITIVE_INFINITY }
  return { outcome: answer.value, returned: answer.returned }
}

/** Nanoseconds of the machine's monotonic clock, which is the same for all its processes. */
function now(): number {
  return Number(process.hrtime.bigint())
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body)
}
