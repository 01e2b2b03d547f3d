/** Part 2: the CPU time of a server per request, beside a bare server and three frameworks. */

import type { Item } from 'cofferkit'
import type { BenchOptions, Build, OperationName } from './bench-options.js'
import { type BenchProcess, startProcess } from './child-process.js'
import { type Connections, openConnections } from './http/load.js'
import type { ServerRequests } from './http/server-process.js'
import {
  draft,
  draftCount,
  file,
  fileId,
  itemCount,
  patch,
  patchedValues,
  token,
  vaultId,
} from './sample.js'
import { fixed, geometricMean, median, medianRatio, printTable, verdict } from './table.js'

interface Contender {
  readonly name: string
  readonly child: BenchProcess<ServerRequests>
  readonly port: number
  readonly itemIds: readonly string[]
  readonly connections: Connections
}

type Mode = 'cold' | 'warm'

/** CPU microseconds of one request in every round, by contender, operation and mode. */
type Costs = ReadonlyMap<string, readonly number[]>

type Goals = Readonly<Record<OperationName, number>>

const goals: Readonly<Record<string, Goals>> = {
  bare: { create: 1.7, replace: 1.7, patch: 2.3, file: 1.8 },
  fastify: { create: 1.15, replace: 1.15, patch: 0.8, file: 1.15 },
}
const meanGoals: Readonly<Record<string, number>> = { fastify: 1, hono: 0.9, express: 0.8 }
const competitors = ['bare', 'fastify', 'hono', 'express']

const size = 16
const count = 1000
const serverProcess = new URL('./http/server-process.ts', import.meta.url)

/** Measures every build and the competitors. */
export async function benchHttp(options: BenchOptions): Promise<void> {
  const { builds, operations, servers = competitors, rounds = 9, profile } = options
  const contenders: Contender[] = []
  try {
    for (const { name, url } of builds)
      contenders.push(await startServer(name, ['cofferkit', url], profile))
    for (const name of servers) contenders.push(await startServer(name, [name], profile))
    for (const contender of contenders) await verify(contender)
    const costs = await measure(contenders, operations, rounds)
    report(contenders, builds, operations, costs)
  } finally {
    for (const { connections, child } of contenders) {
      connections.close()
      await child.stop()
    }
  }
}

async function startServer(
  name: string,
  args: readonly string[],
  profile: string | undefined,
): Promise<Contender> {
  const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}/http-${name}`] : []
  const child = startProcess<ServerRequests>(serverProcess, args, flags)
  const { port, itemIds } = await child.request('start')
  return { name, child, port, itemIds, connections: openConnections(port, size) }
}

async function measure(
  contenders: readonly Contender[],
  operations: readonly OperationName[],
  rounds: number,
): Promise<Costs> {
  const modes: readonly Mode[] = ['cold', 'warm']
  const slices = operations.flatMap((operation) => modes.map((mode) => ({ operation, mode })))
  const costs = new Map<string, number[]>()
  for (let round = -2; round < rounds; round++) {
    for (const { operation, mode } of slices) {
      if (operation === 'create' && mode === 'warm') continue
      for (const { name, child, itemIds, connections } of contenders) {
        const requests = round < 0 ? 6 * count : count
        const nextRequest = createRequests(operation, mode, itemIds)
        const before = await child.request('cpu')
        await connections.run(requests, nextRequest)
        const cost = ((await child.request('cpu')) - before) / requests
        const key = `${name} ${operation} ${mode}`
        if (round >= 0) costs.set(key, [...(costs.get(key) ?? []), cost])
      }
    }
  }
  return costs
}

const drafts = Array.from({ length: draftCount }, (_, index) => JSON.stringify(draft(index)))
const patches = Array.from({ length: draftCount }, (_, index) => JSON.stringify(patch(index)))
const items = `/v1/vaults/${vaultId}/items`
let turn = 0

function createRequests(
  operation: OperationName,
  mode: Mode,
  itemIds: readonly string[],
): () => string {
  const item = () => `${items}/${itemIds[mode === 'warm' ? 0 : (turn * 61) % itemCount]}`
  const body = (list: readonly string[]) => list[turn++ % list.length]
  switch (operation) {
    case 'create':
      return () => formatRequest('POST', items, body(drafts))
    case 'replace':
      return () => formatRequest('PUT', item(), body(drafts))
    case 'patch':
      return () => formatRequest('PATCH', item(), body(patches))
    case 'file':
      return () => {
        turn++
        return formatRequest('GET', `${item()}/files/${fileId}`)
      }
  }
}

function formatRequest(method: string, path: string, body?: string): string {
  const length = body === undefined ? '' : `content-length: ${body.length}\r\n`
  const type = body === undefined ? '' : 'content-type: application/json\r\n'
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: keep-alive\r\n`
  const agent = `accept: application/json\r\nuser-agent: cofferkit-bench\r\n`
  return `${head}authorization: Bearer ${token}\r\n${agent}${type}${length}\r\n${body ?? ''}`
}

/** @throws Error unless the server handles all four operations, and rejects a wrong token. */
async function verify({ name, port, itemIds }: Contender): Promise<void> {
  const [first = '', itemId = ''] = itemIds
  const send = async (method: string, path: string, content?: object, bearer = token) => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
    const init = content === undefined ? {} : { body: JSON.stringify(content) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...init })
    const text = await response.text()
    const tag = response.headers.get('etag')
    const body: Item = text === '' ? {} : JSON.parse(text)
    return { status: response.status, tag, body, size: text.length }
  }
  const check = (title: string, isCorrect: boolean): void => {
    if (!isCorrect) throw new Error(`${name} does not do the job: ${title}`)
  }
  const created = await send('POST', items, draft(1))
  check('create', created.status === 200 && created.body.title === draft(1).title)
  check('size', created.size > 2200 && created.body.fields.length === 20)
  const replaced = await send('PUT', `${items}/${itemId}`, draft(2))
  check('replace', replaced.status === 200 && replaced.body.title === draft(2).title)
  const patched = await send('PATCH', `${items}/${itemId}`, patch(3))
  check('patch', patched.status === 200 && patched.size > 2200)
  const filePath = `${items}/${first}/files/${fileId}`
  const found = await send('GET', filePath)
  check('file', found.status === 200)
  const details = new Map(Object.entries<unknown>({ ...found.body }))
  for (const [key, value] of Object.entries(file(first))) check(key, details.get(key) === value)
  check('token', (await send('GET', filePath, undefined, 'x')).status === 401)
  if (name === 'bare') return
  const { title, label, value } = patchedValues(3)
  check('version', patched.body.version === replaced.body.version + 1)
  check('etag', patched.tag === `"${patched.body.version}"`)
  check('attribute', patched.body.title === title)
  check('label', patched.body.fields[11]?.label === label)
  check('value', patched.body.fields[17]?.value === value)
  check('bad body', (await send('POST', items, { vault: { id: vaultId } })).status === 400)
}

function report(
  contenders: readonly Contender[],
  builds: readonly Build[],
  operations: readonly OperationName[],
  costs: Costs,
): void {
  for (const mode of ['cold', 'warm'] as const) {
    const shown = operations.filter((operation) => mode === 'cold' || operation !== 'create')
    const rows = contenders.map(({ name }) => [
      name,
      ...shown.map((operation) =>
        fixed(median(costs.get(`${name} ${operation} ${mode}`) ?? []), 1),
      ),
    ])
    printTable(`HTTP, CPU µs of the server process per request, ${mode}`, [['', ...shown], ...rows])
  }
  for (const { name } of builds) {
    const present = competitors.filter((competitor) =>
      contenders.some((contender) => contender.name === competitor),
    )
    const rows = present.flatMap((competitor) => compare(name, competitor, operations, costs))
    if (rows.length > 0)
      printTable(`HTTP, ${name} ÷ others, cold`, [['', 'ratio', 'goal', ''], ...rows])
  }
}

/** A row for each operation, and one for their geometric mean if it has a goal. */
function compare(
  name: string,
  competitor: string,
  operations: readonly OperationName[],
  costs: Costs,
): string[][] {
  const ratios = operations.map((operation) =>
    medianRatio(
      costs.get(`${name} ${operation} cold`) ?? [],
      costs.get(`${competitor} ${operation} cold`) ?? [],
    ),
  )
  const rows = operations.map((operation, index) =>
    formatRatio(
      `${competitor}: ${operation}`,
      ratios[index] ?? Number.NaN,
      goals[competitor]?.[operation],
    ),
  )
  const meanGoal = meanGoals[competitor]
  if (meanGoal === undefined || operations.length < 4) return rows
  return [...rows, formatRatio(`${competitor}: geometric mean`, geometricMean(ratios), meanGoal)]
}

function formatRatio(title: string, ratio: number, goal: number | undefined): string[] {
  if (goal === undefined) return [title, fixed(ratio)]
  return [title, fixed(ratio), `<= ${fixed(goal)}`, verdict(ratio, goal)]
}
