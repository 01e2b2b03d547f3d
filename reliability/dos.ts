/**
 * Shows what the worst bodies cost: none up to the limits takes 50 ms of CPU or 64 MiB of heap, in either dialect, and
 * no change takes more in any of its 32 attempts when others always come first. The largest answers of `getItems` hold less
 * than 64 MiB and keep the event loop from its turn for less than 50 ms. What has no limits must be caught.
 *
 * `npm run proof:dos -- [--short]`
 */

import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createCaller, createVaultService, type Dialect, type VaultStore } from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import { createHttpHandler, type HttpHandler, type HttpHandlerOptions } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { type CostlyBody, costlyBodies, costlyChanges } from './dos/bodies.js'
import { type ManyItemsCost, measureManyItems, measureUnlimited } from './dos/many-items.js'
import { createTargets } from './dos/targets.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } })
const rounds = values.short ? 5 : 25
const maxMilliseconds = 50
const maxMebibytes = 64

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
const caller = createCaller('attacker', '*')
const vaultId = 'v'.repeat(26)

interface Cost {
  readonly body: string
  readonly status: number
  readonly milliseconds: number
  readonly mebibytes: number
}

const ours = [
  ...(await measureBodies('contract')),
  ...(await measureBodies('connect', connectDialect)),
  ...(await measureAttempts('contract, each try')),
  ...(await measureAttempts('connect, each try', connectDialect)),
]
const attributes = `{${Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":0`).join(',')}}`
const wide: CostlyBody = { name: 'unlimited', method: 'POST', text: attributes }
const variant = await measureBodies('variant', undefined, { maxBodyBytes: 2 ** 24, maxBodyElements: 2 ** 24 }, [
  wide,
])

printTable(
  [
    ...ours.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, 16),
    ...variant,
  ].map(({ body, status, milliseconds, mebibytes }) => ({
    body,
    status,
    'ms of CPU, median': milliseconds.toFixed(1),
    'MiB of heap': mebibytes.toFixed(1),
  })),
)
const isTooMuch = ({ milliseconds, mebibytes }: Cost): boolean =>
  milliseconds >= maxMilliseconds || mebibytes >= maxMebibytes
const broken = ours.filter(isTooMuch)
print(`${ours.length} cases, ${rounds} times each: ${broken.length} cost too much`)
if (!variant.every(isTooMuch)) print('the handler without a limit was not caught')
const manyItems = await measureManyItems()
const unlimited = await measureUnlimited()
printTable(
  [...manyItems, unlimited].map(({ name, status, held, withGarbage, block, cpu }) => ({
    call: name,
    status,
    'held, MiB': (held / 2 ** 20).toFixed(0),
    'with garbage, MiB': (withGarbage / 2 ** 20).toFixed(0),
    'longest block, ms': block.toFixed(0),
    'ms of CPU': cpu.toFixed(0),
  })),
)
const holdsTooMuch = ({ held, block }: ManyItemsCost): boolean =>
  held >= maxMebibytes * 2 ** 20 || block >= maxMilliseconds
const brokenCalls = manyItems.filter(holdsTooMuch)
print(`${manyItems.length} calls of getItems: ${brokenCalls.length} cost too much`)
if (!holdsTooMuch(unlimited)) print('the call without a limit was not caught')
const isBroken = broken.length > 0 || brokenCalls.length > 0
if (isBroken || !variant.every(isTooMuch) || !holdsTooMuch(unlimited)) process.exitCode = 1

async function measureBodies(
  name: string,
  dialect?: Dialect,
  options: Partial<HttpHandlerOptions> = {},
  bodies: readonly CostlyBody[] = costlyBodies(vaultId),
): Promise<Cost[]> {
  const service = createVaultService({ store: createMemoryStore(), ...(dialect && { dialect }) })
  await service.createVault(caller, { vaultId, name: 'Target' })
  const targets = await createTargets(service, caller, vaultId)
  const handler = createHttpHandler(service, { authenticate: () => caller, ...options })
  const costs: Cost[] = []
  for (const body of bodies) {
    const cost = await measure(handler, body, targets[body.target ?? 'small fields'])
    costs.push({ ...cost, body: `${name}: ${body.method} ${body.name}` })
  }
  return costs
}

/** What one of 32 attempts costs when the store refuses each, as if others always came first. */
async function measureAttempts(name: string, dialect?: Dialect): Promise<Cost[]> {
  const store = createMemoryStore()
  const options = dialect === undefined ? {} : { dialect }
  const service = createVaultService({ store, ...options })
  await service.createVault(caller, { vaultId, name: 'Target' })
  const targets = await createTargets(service, caller, vaultId)
  // Pauses between attempts are drawn from it; nobody needs them here.
  const { random } = Math
  Math.random = () => 0
  const costs: Cost[] = []
  for (const body of costlyChanges(vaultId)) {
    const attempts: Pick<Cost, 'milliseconds' | 'mebibytes'>[] = []
    let stop = started()
    const refusing: VaultStore = {
      ...store,
      records: {
        ...store.records,
        put: async () => {
          attempts.push(stop())
          stop = started()
          return false
        },
      },
    }
    const handler = createHttpHandler(createVaultService({ store: refusing, ...options }), {
      authenticate: () => caller,
    })
    stop = started()
    const { status } = await send(handler, body, targets[body.target ?? 'small fields'])
    if (status === 409 && attempts.length !== 32) throw new Error('another number of attempts')
    // The first one reads the body, too, and is a case of its own.
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

/** The median of CPU, the most of heap that was taken on top of what lives on. */
async function measure(
  handler: HttpHandler,
  body: CostlyBody,
  itemId: string,
): Promise<Omit<Cost, 'body'>> {
  const times: number[] = []
  let mebibytes = 0
  let status = 0
  for (let round = -2; round < rounds; round++) {
    const stop = started()
    status = (await send(handler, body, itemId)).status
    const cost = stop()
    if (round >= 0) times.push(cost.milliseconds)
    mebibytes = Math.max(mebibytes, cost.mebibytes)
  }
  return { status, milliseconds: median(times), mebibytes }
}

async function send(
  handler: HttpHandler,
  { method, text, suffix = '' }: CostlyBody,
  itemId: string,
): Promise<{ readonly status: number }> {
  const items = `/v1/vaults/${vaultId}/items`
  const url = method === 'POST' ? items : `${items}/${itemId}${suffix}`
  const bytes = new TextEncoder().encode(text)
  const body = (async function* () {
    yield bytes
  })()
  return handler({ method, url, header: () => undefined, body: text === '' ? null : body })
}

/** Begins to measure; what it returns tells what has been taken since. */
function started(): () => Pick<Cost, 'milliseconds' | 'mebibytes'> {
  collect()
  const heap = process.memoryUsage().heapUsed
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    const mebibytes = (process.memoryUsage().heapUsed - heap) / 2 ** 20
    return { milliseconds: (user + system) / 1000, mebibytes }
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0
}
