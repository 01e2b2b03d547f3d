/**
 * Shows the cost of the most expensive requests. No request up to the limits takes 50 ms of CPU, or
 * 100 ms where the memory of the machine is slow, or 64 MiB of memory, in either dialect, and with
 * encryption and history. No change takes more in any of its 32 attempts if every write conflicts.
 * The largest responses of `getItems` take less than 64 MiB, and block the event loop for no longer
 * than a request may take. Reading an export at the default limits takes at most twice the CPU of parsing its JSON and
 * a second, and its result at most 64 MiB more than the parsed JSON. Whatever looks too expensive is
 * compared with a job of known cost, because other programs and a slower machine lengthen its CPU
 * time as well. The negative controls, a handler, a call and an import without limits, must be
 * caught.
 *
 * `npm run prove -- dos [--short]`. The short form measures 6 attempts, in the connect dialect
 * only.
 */

import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  createCaller,
  createVaultService,
  type Dialect,
  type VaultServiceOptions,
  type VaultStore,
} from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createHttpHandler, type HttpHandler, type HttpHandlerOptions } from 'cofferkit/http'
import { readExport } from 'cofferkit/import'
import { createMemoryStore } from 'cofferkit/memory'
import { type CostlyBody, costlyBodies, costlyChanges } from './dos/bodies.js'
import { type CostlyExport, costlyExports, costlyFields } from './dos/exports.js'
import { type ManyItemsCost, measureManyItems, measureUnlimited } from './dos/many-items.js'
import { createTargets } from './dos/targets.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } })
/** In the short form a request that is cheap at once is not repeated: the next rounds cost less. */
const [warmUpRounds, rounds] = values.short ? [0, 1] : [2, 25]
/** The rounds of a request that looks too expensive, because other programs lengthen each. */
const moreRounds = 25
const importRounds = values.short ? 1 : 3
/** The rounds of an import that looks too expensive. */
const moreImportRounds = 3
const maxMs = 50
/** The most of a request, because long responses take as long to copy as the memory of the machine allows. */
const maxRequestMs = 2 * maxMs
/** From this on, a request is measured again. The verdict only depends on `maxRequestMs`. */
const expensiveMs = values.short ? maxRequestMs : maxMs
/** The least CPU of `referenceJob`, in milliseconds, while nothing else runs on the machine. */
const referenceMs = 26.5
const referenceText = JSON.stringify(
  Array.from({ length: 10_000 }, (_, id) => ({ id: `${id}`, value: 'x'.repeat(60) })),
)
/** Attempts of a change whose writes conflict: as many as a service makes, in the short form fewer. */
const maxAttempts = values.short ? 6 : 32
// Every attempt is measured, however long all of them take.
const retry = { maxAttempts, maxTotalMs: 60_000 }
const maxMebibytes = 64

setFlagsFromString('--expose-gc')
const runGarbageCollector: () => void = runInNewContext('gc')
const caller = createCaller({ id: 'attacker', vaults: '*' })
const vaultId = 'v'.repeat(26)

interface Cost {
  readonly body: string
  readonly status: number
  readonly milliseconds: number
  readonly mebibytes: number
}

const keys = createLocalKeyProvider({ key: randomBytes(32) })
const store = createEncryptedStore(createMemoryStore(), { keys })
const costs = [
  ...(await measureBodies('contract')),
  ...(await measureBodies('connect', { dialect: connectDialect })),
  ...(values.short ? [] : await measureAttempts('contract, each attempt')),
  ...(await measureAttempts('connect, each attempt', connectDialect)),
  ...(await measureBodies('encrypted', { store, history: { maxVersions: 10 } })),
]
const attributes = `{${Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":0`).join(',')}}`
const wide: CostlyBody = { name: 'unlimited', method: 'POST', text: attributes }
const noLimits = { maxBodyBytes: 2 ** 24, maxBodyElements: 2 ** 24 }
// It takes seconds, so it is not measured again.
const control = await measureBodies('negative control', {}, noLimits, [wide], 1)

printTable(
  [
    ...costs.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, 24),
    ...control,
  ].map(({ body, status, milliseconds, mebibytes }) => ({
    body,
    status,
    'ms of CPU, least': milliseconds.toFixed(1),
    'MiB of heap': mebibytes.toFixed(1),
  })),
)
const isTooExpensive = ({ milliseconds, mebibytes }: Cost): boolean =>
  milliseconds >= maxRequestMs || mebibytes >= maxMebibytes
const expensive = costs.filter(isTooExpensive)
print(`${costs.length} cases, ${rounds} times each: ${expensive.length} are too expensive`)
if (!control.every(isTooExpensive)) print('the handler without limits was not caught')
const manyItems = (await measureManyItems()).map(allowForSlowness)
const unlimited = allowForSlowness(await measureUnlimited())
printTable(
  [...manyItems, unlimited].map(({ name, status, live, withGarbage, block, cpu }) => ({
    call: name,
    status,
    'live, MiB': (live / 2 ** 20).toFixed(0),
    'with garbage, MiB': (withGarbage / 2 ** 20).toFixed(0),
    'longest block, ms': block.toFixed(0),
    'ms of CPU': cpu.toFixed(0),
  })),
)
const takesTooMuch = ({ live, block }: ManyItemsCost): boolean =>
  live >= maxMebibytes * 2 ** 20 || block >= maxRequestMs
const expensiveCalls = manyItems.filter(takesTooMuch)
print(`${manyItems.length} calls of getItems: ${expensiveCalls.length} are too expensive`)
if (!takesTooMuch(unlimited)) print('the call without a limit was not caught')
const imports = costlyExports(400_000).map((one) => measureImport(one))
const limits = { elements: 4_000_000, items: 1_000_000 }
const unlimitedImport = [measureImport(costlyFields(4_000_000), limits)]
printTable(
  [...imports, ...unlimitedImport].map(({ name, parsing, reading, live }) => ({
    export: name,
    'ms of CPU, JSON.parse': parsing.toFixed(0),
    'ms of CPU': reading.toFixed(0),
    'live beyond JSON, MiB': live.toFixed(0),
  })),
)
const isCostlyImport = ({ parsing, reading, live }: ImportCost): boolean =>
  reading >= maxReading(parsing) || live >= maxMebibytes
const expensiveImports = imports.filter(isCostlyImport)
print(`${imports.length} exports: ${expensiveImports.length} are too expensive`)
if (!unlimitedImport.every(isCostlyImport)) print('the import without limits was not caught')
const isFailed =
  expensive.length + expensiveCalls.length + expensiveImports.length > 0 ||
  !control.every(isTooExpensive) ||
  !takesTooMuch(unlimited) ||
  !unlimitedImport.every(isCostlyImport)
if (isFailed) process.exitCode = 1

/** Returns the cost without the time by which other programs lengthen a block that looks too long. */
function allowForSlowness(cost: ManyItemsCost): ManyItemsCost {
  return cost.block < maxMs ? cost : { ...cost, block: cost.block / slowness() }
}

/** The most CPU that reading an export may take, in milliseconds. */
function maxReading(parsing: number): number {
  return 2 * parsing + 1000
}

interface ImportCost {
  readonly name: string
  /** The CPU of `JSON.parse` in milliseconds. */
  readonly parsing: number
  /** The CPU of `readExport`. */
  readonly reading: number
  /** The MiB that the result takes beyond the parsed JSON. */
  readonly live: number
}

/** The least of all rounds, to which other programs only add. */
function measureImport({ name, text, bytes }: CostlyExport, limits = {}): ImportCost {
  const parsed = Array.from({ length: importRounds }, () => measureWork(() => JSON.parse(text)))
  const parsing = leastOf(parsed, 'milliseconds')
  const results: WorkCost[] = []
  const reading = () => leastOf(results, 'milliseconds')
  while (
    results.length < importRounds ||
    (results.length < moreImportRounds && reading() >= maxReading(parsing))
  )
    results.push(measureWork(() => readExport(bytes, { limits })))
  const isSlow = reading() >= maxReading(parsing)
  return {
    name,
    parsing,
    reading: isSlow ? reading() / slowness() : reading(),
    live: leastOf(results, 'mebibytes') - leastOf(parsed, 'mebibytes'),
  }
}

interface WorkCost {
  readonly milliseconds: number
  readonly mebibytes: number
  /** Keeps the result alive until it is measured. */
  readonly isDone: boolean
}

/** Measures the CPU of work, and the memory that its result takes. */
function measureWork(work: () => unknown): WorkCost {
  const stop = startMeasurement()
  const { heapUsed } = process.memoryUsage()
  const result = work()
  const { milliseconds } = stop()
  runGarbageCollector()
  const mebibytes = (process.memoryUsage().heapUsed - heapUsed) / 2 ** 20
  return { milliseconds, mebibytes, isDone: result !== undefined }
}

function leastOf(costs: readonly WorkCost[], key: 'milliseconds' | 'mebibytes'): number {
  return Math.min(...costs.map((cost) => cost[key]))
}

async function measureBodies(
  name: string,
  serviceOptions: Partial<VaultServiceOptions> = {},
  options: Partial<HttpHandlerOptions> = {},
  bodies: readonly CostlyBody[] = costlyBodies(vaultId),
  mostRounds = moreRounds,
): Promise<Cost[]> {
  const service = createVaultService({ store: createMemoryStore(), ...serviceOptions })
  await service.createVault(caller, { vaultId, name: 'Target' })
  const targets = await createTargets(service, caller, vaultId)
  const handler = createHttpHandler(service, { authenticate: () => caller, ...options })
  const costs: Cost[] = []
  for (const body of bodies) {
    const itemId = targets[body.target ?? 'small fields']
    const cost = await measureBody(handler, body, itemId, mostRounds)
    costs.push({ ...cost, body: `${name}: ${body.method} ${body.name}` })
  }
  return costs
}

/** Measures each attempt of a change whose puts are all rejected. */
async function measureAttempts(name: string, dialect?: Dialect): Promise<Cost[]> {
  const store = createMemoryStore()
  const options = dialect === undefined ? {} : { dialect }
  const service = createVaultService({ store, ...options })
  await service.createVault(caller, { vaultId, name: 'Target' })
  const targets = await createTargets(service, caller, vaultId)
  // The pauses between attempts are random. Zero makes them as short as possible.
  const { random } = Math
  Math.random = () => 0
  const costs: Cost[] = []
  for (const body of costlyChanges(vaultId)) {
    const attempts: Pick<Cost, 'milliseconds' | 'mebibytes'>[] = []
    let stop = startMeasurement()
    const rejecting: VaultStore = {
      ...store,
      records: {
        ...store.records,
        put: async () => {
          attempts.push(stop())
          stop = startMeasurement()
          return false
        },
      },
    }
    const handler = createHttpHandler(createVaultService({ store: rejecting, retry, ...options }), {
      authenticate: () => caller,
    })
    stop = startMeasurement()
    const { status } = await send(handler, body, targets[body.target ?? 'small fields'])
    if (status === 409 && attempts.length !== maxAttempts)
      throw new Error(`the number of attempts is not ${maxAttempts}`)
    // The first attempt also reads the body, which is measured as a case of its own.
    costs.push({
      body: `${name}: ${body.method} ${body.name}`,
      status,
      milliseconds: median(attempts.slice(1).map(({ milliseconds }) => milliseconds)),
      mebibytes: Math.max(...attempts.map(({ mebibytes }) => mebibytes), 0),
    })
  }
  Math.random = random
  return costs
}

/** The least CPU, to which other programs only add, and the most heap on top of the heap before. */
async function measureBody(
  handler: HttpHandler,
  body: CostlyBody,
  itemId: string,
  mostRounds: number,
): Promise<Omit<Cost, 'body'>> {
  const times: number[] = []
  let mebibytes = 0
  let status = 0
  for (
    let round = -warmUpRounds;
    round < Math.min(rounds, mostRounds) ||
    (round < mostRounds && Math.min(...times) >= expensiveMs);
    round++
  ) {
    const stop = startMeasurement()
    status = (await send(handler, body, itemId)).status
    const cost = stop()
    if (round >= 0) times.push(cost.milliseconds)
    mebibytes = Math.max(mebibytes, cost.mebibytes)
  }
  const least = Math.min(...times)
  return { status, milliseconds: least < expensiveMs ? least : least / slowness(), mebibytes }
}

async function send(
  handler: HttpHandler,
  { method, text, suffix = '', chunkBytes = text.length * 3 }: CostlyBody,
  itemId: string,
): Promise<{ readonly status: number }> {
  const items = `/v1/vaults/${vaultId}/items`
  const url = method === 'POST' ? items : `${items}/${itemId}${suffix}`
  const bytes = new TextEncoder().encode(text)
  const body = (async function* () {
    for (let start = 0; start < bytes.length; start += chunkBytes)
      yield bytes.slice(start, start + chunkBytes)
  })()
  return handler({ method, url, header: () => undefined, body: text === '' ? null : body })
}

/** Returns by how much other programs lengthen the CPU time of this one now, at least 1. */
function slowness(): number {
  const costs = Array.from({ length: 10 }, () => {
    const stop = startMeasurement()
    referenceJob()
    return stop().milliseconds
  })
  return Math.max(1, Math.min(...costs) / referenceMs)
}

function referenceJob(): void {
  for (let count = 0; count < 5; count++) JSON.stringify(JSON.parse(referenceText))
}

/** Starts a measurement. The returned function ends it. */
function startMeasurement(): () => Pick<Cost, 'milliseconds' | 'mebibytes'> {
  runGarbageCollector()
  const memory = usedMemory()
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    const mebibytes = (usedMemory() - memory) / 2 ** 20
    return { milliseconds: (user + system) / 1000, mebibytes }
  }
}

function usedMemory(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0
}
