/** Part 2: the CPU a server process spends on a request, beside a bare server and the same job on three frameworks. */

import { startChild } from './child.mjs'
import { openConnections } from './http/load.mjs'
import { draft, draftCount, file, fileId, itemCount, patch, token, vaultId } from './sample.mjs'
import { fixed, geometricMean, median, medianRatio, printTable, verdict } from './table.mjs'

const bareGoals = { create: 1.7, replace: 1.7, patch: 2.3, file: 1.8 }
const fastifyGoals = { create: 1.15, replace: 1.15, patch: 0.8, file: 1.15 }
const meanGoals = { fastify: 1, hono: 0.9, express: 0.8 }
const rivals = ['bare', 'fastify', 'hono', 'express']

const size = 16
const count = 1000
const serve = new URL('./http/serve.mjs', import.meta.url)

export async function benchHttp({ builds, operations, servers = rivals, rounds = 9, profile }) {
  const contenders = []
  try {
    for (const { name, url } of builds) {
      contenders.push(await startServer(name, ['cofferkit', url], profile))
    }
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

async function startServer(name, args, profile) {
  const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}/http-${name}`] : []
  const child = startChild(serve, args, flags)
  const { port, itemIds } = await child.ask('start')
  return { name, child, port, itemIds, connections: openConnections(port, size) }
}

async function measure(contenders, operations, rounds) {
  const modes = ['cold', 'warm']
  const slices = operations.flatMap((operation) => modes.map((mode) => ({ operation, mode })))
  const costs = new Map()
  for (let round = -2; round < rounds; round++) {
    for (const { operation, mode } of slices) {
      if (operation === 'create' && mode === 'warm') continue
      for (const { name, child, itemIds, connections } of contenders) {
        const requests = round < 0 ? 6 * count : count
        const nextRequest = requester(operation, mode, itemIds)
        const before = await child.ask('cpu')
        await connections.run(requests, nextRequest)
        const cost = ((await child.ask('cpu')) - before) / requests
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

function requester(operation, mode, itemIds) {
  const itemOf = () => itemIds[mode === 'warm' ? 0 : (turn * 61) % itemCount]
  const body = (list) => list[turn++ % list.length]
  switch (operation) {
    case 'create':
      return () => request('POST', items, body(drafts))
    case 'replace':
      return () => request('PUT', `${items}/${itemOf()}`, body(drafts))
    case 'patch':
      return () => request('PATCH', `${items}/${itemOf()}`, body(patches))
    default:
      return () => {
        turn++
        return request('GET', `${items}/${itemOf()}/files/${fileId}`)
      }
  }
}

function request(method, path, body) {
  const length = body === undefined ? '' : `content-length: ${body.length}\r\n`
  const type = body === undefined ? '' : 'content-type: application/json\r\n'
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: keep-alive\r\n`
  const agent = `accept: application/json\r\nuser-agent: cofferkit-bench\r\n`
  return `${head}authorization: Bearer ${token}\r\n${agent}${type}${length}\r\n${body ?? ''}`
}

/** @throws Error unless the server answers all four operations, and refuses a wrong token. */
async function verify({ name, port, itemIds }) {
  const [first, itemId] = itemIds
  const call = async (method, path, body, bearerAuth = token) => {
    const headers = { authorization: `Bearer ${bearerAuth}`, 'content-type': 'application/json' }
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...init })
    const text = await response.text()
    const tag = response.headers.get('etag')
    return { status: response.status, tag, body: text && JSON.parse(text), size: text.length }
  }
  const check = (what, holds) => {
    if (!holds) throw new Error(`${name} does not do the job: ${what}`)
  }
  const keeps = name !== 'bare'
  const created = await call('POST', items, draft(1))
  check('create', created.status === 200 && created.body.title === draft(1).title)
  check('size', created.size > 2200 && created.body.fields.length === 20)
  const replaced = await call('PUT', `${items}/${itemId}`, draft(2))
  check('replace', replaced.status === 200 && replaced.body.title === draft(2).title)
  const patched = await call('PATCH', `${items}/${itemId}`, patch(3))
  check('patch', patched.status === 200 && patched.size > 2200)
  const found = await call('GET', `${items}/${first}/files/${fileId}`)
  check('file', found.status === 200)
  for (const [key, value] of Object.entries(file(first))) check(key, found.body[key] === value)
  check(
    'token',
    (await call('GET', `${items}/${first}/files/${fileId}`, undefined, 'x')).status === 401,
  )
  if (!keeps) return
  check('version', patched.body.version === replaced.body.version + 1)
  check('etag', patched.tag === `"${patched.body.version}"`)
  check('attribute', patched.body.title === patch(3)[0].value)
  check('label', patched.body.fields[11].label === patch(3)[1].value)
  check('value', patched.body.fields[17].value === patch(3)[2].value)
  check('bad body', (await call('POST', items, { vault: { id: vaultId } })).status === 400)
}

function report(contenders, builds, operations, costs) {
  for (const mode of ['cold', 'warm']) {
    const shown = operations.filter((operation) => mode === 'cold' || operation !== 'create')
    const rows = contenders.map(({ name }) => [
      name,
      ...shown.map((operation) => fixed(median(costs.get(`${name} ${operation} ${mode}`)), 1)),
    ])
    printTable(`HTTP, CPU µs of the server process a request, ${mode}`, [['', ...shown], ...rows])
  }
  for (const { name } of builds) {
    const present = rivals.filter((rival) =>
      contenders.some((contender) => contender.name === rival),
    )
    const rows = present.flatMap((rival) => ratios(name, rival, operations, costs))
    if (rows.length > 0) {
      printTable(`HTTP, ${name} ÷ others, cold`, [['', 'ratio', 'goal', ''], ...rows])
    }
  }
}

function ratios(name, rival, operations, costs) {
  const found = operations.map((operation) =>
    medianRatio(costs.get(`${name} ${operation} cold`), costs.get(`${rival} ${operation} cold`)),
  )
  const goals = { bare: bareGoals, fastify: fastifyGoals }[rival]
  const rows = operations.map((operation, index) => {
    const ratio = found[index]
    const goal = goals?.[operation]
    const judged = goal === undefined ? ['', ''] : [`<= ${fixed(goal)}`, verdict(ratio, goal)]
    return [`${rival}: ${operation}`, fixed(ratio), ...judged]
  })
  const goal = meanGoals[rival]
  if (goal === undefined || operations.length < 4) return rows
  const mean = geometricMean(found)
  return [
    ...rows,
    [`${rival}: geometric mean`, fixed(mean), `<= ${fixed(goal)}`, verdict(mean, goal)],
  ]
}
