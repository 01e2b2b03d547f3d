/**
 * Shows that a server retains no more memory after a million requests of every kind than after the
 * first 200,000: at most a byte for each request, and no additional handle. The negative control, a
 * server that retains something of each request, must be caught. The servers run with
 * `--no-flush-bytecode`: otherwise V8 frees some 5 MB of compiled code at an unpredictable moment,
 * which would hide 100 bytes for each request in the short form.
 *
 * `npm run prove -- soak [--short] [--requests 1000000]`. The short form allows 32 bytes for each
 * request: with so few of them, the heap varies by more than a byte for each by itself.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openConnection } from './soak/connections.js'
import type { MemoryReport, Started } from './soak/server.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, requests: { type: 'string' } },
})
const requests = Number(values.requests ?? (values.short ? 40_000 : 1_000_000))
const maxBytesPerRequest = values.short ? 32 : 1
/** By then everything is compiled, and everything with a limit is full. */
const minWarmUp = 20_000
const connections = 16

const result = await soak('cofferkit', requests)
const control = await soak('leaking', 30_000)
printTable([result, control])
if (result['bytes per request'] > maxBytesPerRequest)
  fail(`more than ${maxBytesPerRequest} bytes are retained for each request`)
if (result['more handles'] > 0) fail('there are more handles than before')
if (result.unexpected > 0) fail('some responses had an unexpected status')
if (control['bytes per request'] <= 2 * 32) fail('the leaking server was not caught')

async function soak(name: string, count: number) {
  const server = fork(fileURLToPath(new URL('./soak/server.ts', import.meta.url)), [name], {
    execArgv: [...process.execArgv, '--expose-gc', '--no-flush-bytecode'],
  })
  const [started]: Started[] = await once(server, 'message')
  if (started === undefined) throw new Error('the server did not start')
  const first = Math.max(Math.floor(count / 5), minWarmUp)
  let unexpected = await sendRequests(started, first)
  const before = await readMemory(server)
  unexpected += await sendRequests(started, count - first)
  const after = await readMemory(server)
  server.kill()
  await once(server, 'exit')
  return {
    server: name,
    requests: count,
    unexpected,
    'KiB before': Math.round(before.bytes / 1024),
    'KiB after': Math.round(after.bytes / 1024),
    'bytes per request': Number(((after.bytes - before.bytes) / (count - first)).toFixed(2)),
    'more handles': after.handles - before.handles,
  }
}

/** Sends `count` requests. Resolves with the number of responses with an unexpected status. */
async function sendRequests(started: Started, count: number): Promise<number> {
  const kinds = createRequests(started)
  let left = count
  let unexpected = 0
  const work = async (): Promise<void> => {
    const connection = openConnection(started.port)
    while (left-- > 0) {
      const { text, status } = kinds[left % kinds.length] as (typeof kinds)[number]
      if ((await connection.send(text)) !== status) unexpected++
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, work))
  return unexpected
}

async function readMemory(server: ChildProcess): Promise<MemoryReport> {
  await new Promise((resolve) => setTimeout(resolve, 500))
  server.send('memory')
  const [report]: MemoryReport[] = await once(server, 'message')
  if (report === undefined) throw new Error('the server did not respond')
  return report
}

function createRequests({ vaultId, itemId, fileId }: Started) {
  const items = `/v1/vaults/${vaultId}/items`
  const path = `${items}/${itemId}`
  const item = { category: 'LOGIN', vault: { id: vaultId }, title: 'Mail', fields: [] }
  const patch = [{ op: 'replace', path: '/title', value: 'Mail' }]
  const token = 't'.repeat(32)
  return [
    createRequest(200, 'GET', path, token),
    createRequest(200, 'PUT', path, token, item),
    createRequest(200, 'PATCH', path, token, patch),
    createRequest(200, 'GET', `${path}/files/${fileId}?inline_files=true`, token),
    createRequest(200, 'GET', `${path}/files/${fileId}/content`, token),
    createRequest(200, 'GET', `${items}?filter=title+eq+%22Mail%22`, token),
    createRequest(200, 'GET', '/v1/vaults', token),
    createRequest(200, 'GET', '/metrics', token),
    createRequest(200, 'GET', '/v1/activity?limit=5', token),
    createRequest(401, 'GET', path, 'wrong'),
    createRequest(404, 'GET', `${items}/${'0'.repeat(26)}`, token),
    createRequest(404, 'GET', '/nowhere', token),
    createRequest(400, 'PATCH', path, token, [{ op: 'remove', path: '/nothing' }]),
    createRequest(400, 'POST', items, token, { category: 'NONE' }),
    createRequest(405, 'POST', path, token),
  ]
}

function createRequest(
  status: number,
  method: string,
  path: string,
  token: string,
  body?: unknown,
) {
  const text = body === undefined ? '' : JSON.stringify(body)
  const header = [
    `${method} ${path} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
  ]
  return { status, text: `${header.join('\r\n')}\r\n\r\n${text}` }
}

function fail(reason: string): void {
  print(reason)
  process.exitCode = 1
}
