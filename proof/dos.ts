/**
 * Shows what the worst bodies cost: none up to the limits takes 50 ms of CPU or 64 MiB of heap, in either dialect. A
 * handler without limits must be caught.
 *
 * `npm run proof:dos -- [--short]`
 */

import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createVaultService, type Dialect, grant } from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import { createHttpHandler, type HttpHandler, type HttpHandlerOptions } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { type CostlyBody, costlyBodies } from './dos/bodies.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } })
const rounds = values.short ? 5 : 25
const mostMilliseconds = 50
const mostMebibytes = 64

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
const caller = grant('attacker', '*')
const vaultId = 'v'.repeat(26)

interface Cost {
  readonly body: string
  readonly status: number
  readonly milliseconds: number
  readonly mebibytes: number
}

const ours = [...(await costsOf('contract')), ...(await costsOf('connect', connectDialect))]
const attributes = `{${Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":0`).join(',')}}`
const wide: CostlyBody = { name: 'unlimited', method: 'POST', text: attributes }
const twin = await costsOf('twin', undefined, { bodyLimit: 2 ** 24, bodyElements: 2 ** 24 }, [wide])

printTable(
  [
    ...ours.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, 12),
    ...twin,
  ].map(({ body, status, milliseconds, mebibytes }) => ({
    body,
    status,
    'ms of CPU, median': milliseconds.toFixed(1),
    'MiB of heap': mebibytes.toFixed(1),
  })),
)
const isTooMuch = ({ milliseconds, mebibytes }: Cost): boolean =>
  milliseconds >= mostMilliseconds || mebibytes >= mostMebibytes
const broken = ours.filter(isTooMuch)
print(`${ours.length} bodies, ${rounds} times each: ${broken.length} cost too much`)
if (!twin.every(isTooMuch)) print('the handler without a limit was not caught')
if (broken.length > 0 || !twin.every(isTooMuch)) process.exitCode = 1

async function costsOf(
  name: string,
  dialect?: Dialect,
  options: Partial<HttpHandlerOptions> = {},
  bodies: readonly CostlyBody[] = costlyBodies(vaultId),
): Promise<Cost[]> {
  const service = createVaultService({ store: createMemoryStore(), ...(dialect && { dialect }) })
  await service.createVault(caller, { vaultId, name: 'Target' })
  const fields = Array.from({ length: 1000 }, (_, index) => ({ id: String(index), value: 'x' }))
  const item = { category: 'LOGIN', vault: { id: vaultId }, fields } as const
  const { id: itemId } = await service.createItem(caller, { vaultId, item })
  const handler = createHttpHandler(service, { authenticate: () => caller, ...options })
  const costs: Cost[] = []
  for (const body of bodies) {
    const cost = await costOf(handler, body, itemId)
    costs.push({ ...cost, body: `${name}: ${body.method} ${body.name}` })
  }
  return costs
}

/** The median of CPU, the most of heap that was taken on top of what lives on. */
async function costOf(
  handler: HttpHandler,
  { method, text }: CostlyBody,
  itemId: string,
): Promise<Omit<Cost, 'body'>> {
  const items = `/v1/vaults/${vaultId}/items`
  const url = method === 'POST' ? items : `${items}/${itemId}`
  const bytes = new TextEncoder().encode(text)
  const times: number[] = []
  let mebibytes = 0
  let status = 0
  for (let round = -2; round < rounds; round++) {
    collect()
    const heap = process.memoryUsage().heapUsed
    const before = process.cpuUsage()
    const body = (async function* () {
      yield bytes
    })()
    status = (await handler({ method, url, header: () => undefined, body })).status
    const { user, system } = process.cpuUsage(before)
    if (round >= 0) times.push((user + system) / 1000)
    mebibytes = Math.max(mebibytes, (process.memoryUsage().heapUsed - heap) / 2 ** 20)
  }
  const milliseconds = times.sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0
  return { status, milliseconds, mebibytes }
}
