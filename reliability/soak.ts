/**
 * Shows that a server holds no more after a million requests of every kind than after the first 200,000: at most a byte
 * a request, and no handle more. A server that keeps something of each request must be caught. The servers run with
 * `--no-flush-bytecode`: V8 frees some 5 MB of compiled code at a moment of its own, which would hide 100 bytes a
 * request in the short form.
 *
 * `npm run proof:soak -- [--short] [--requests 1000000]`. The short form allows 32 bytes a request: over so few the
 * heap moves by more than a byte each by itself.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openConnection } from './soak/connections.js'
import type { Held, Started } from './soak/server.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, requests: { type: 'string' } },
})
const requests = Number(values.requests ?? (values.short ? 40_000 : 1_000_000))
const maxBytes = values.short ? 32 : 1
/** Before it is looked at: by then everything is compiled, and what is bounded is full. */
const minWarmUp = 20_000
const size = 16

const ours = await soak('cofferkit', requests)
const variant = await soak('leaking', 30_000)
printTable([ours, variant])
if (ours['bytes a request'] > maxBytes) fail(`more than ${maxBytes} bytes a request are held`)
if (ours['handles more'] > 0) fail('there are more handles than before')
if (ours.unexpected > 0) fail('some answers had another status than expected')
if (variant['bytes a request'] <= 2 * 32) fail('the leaking server was not caught')

async function soak(name: string, count: number) {
  const server = fork(fileURLToPath(new URL('./soak/server.ts', import.meta.url)), [name], {
    execArgv: [...process.execArgv, '--expose-gc', '--no-flush-bytecode'],
  })
  const [started]: Started[] = await once(server, 'message')
  if (started === undefined) throw new Error('the server did not start')
  const first = Math.max(Math.floor(count / 5), minWarmUp)
  let unexpected = await ask(started, first)
  const before = await held(server)
  unexpected += await ask(started, count - first)
  const after = await held(server)
  server.kill()
  await once(server, 'exit')
  return {
    server: name,
    requests: count,
    unexpected,
    'KiB before': Math.round(before.bytes / 1024),
    'KiB after': Math.round(after.bytes / 1024),
    'bytes a request': Number(((after.bytes - before.bytes) / (count - first)).toFixed(2)),
    'handles more': after.handles - before.handles,
  }
}

/** Sends so many requests, and resolves with how many were not answered as they should be. */
async function ask(started: Started, count: number): Promise<number> {
  const kinds = requestsTo(started)
  let left = count
  let unexpected = 0
  const work = async (): Promise<void> => {
    const connection = openConnection(started.port)
    while (left-- > 0) {
      const { text, status } = kinds[left % kinds.length] as (typeof kinds)[number]
      if ((await connection.ask(text)) !== status) unexpected++
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: size }, work))
  return unexpected
}

async function held(server: ChildProcess): Promise<Held> {
  await new Promise((resolve) => setTimeout(resolve, 500))
  server.send('held')
  const [answer]: Held[] = await once(server, 'message')
  if (answer === undefined) throw new Error('the server did not answer')
  return answer
}

function requestsTo({ vaultId, itemId, fileId }: Started) {
  const items = `/v1/vaults/${vaultId}/items`
  const path = `${items}/${itemId}`
  const item = { category: 'LOGIN', vault: { id: vaultId }, title: 'Mail', fields: [] }
  const patch = [{ op: 'replace', path: '/title', value: 'Mail' }]
  const token = 't'.repeat(32)
  return [
    request(200, 'GET', path, token),
    request(200, 'PUT', path, token, item),
    request(200, 'PATCH', path, token, patch),
    request(200, 'GET', `${path}/files/${fileId}?inline_files=true`, token),
    request(200, 'GET', `${path}/files/${fileId}/content`, token),
    request(200, 'GET', `${items}?filter=title+eq+%22Mail%22`, token),
    request(200, 'GET', '/v1/vaults', token),
    request(200, 'GET', '/metrics', token),
    request(200, 'GET', '/v1/activity?limit=5', token),
    request(401, 'GET', path, 'wrong'),
    request(404, 'GET', `${items}/${'0'.repeat(26)}`, token),
    request(404, 'GET', '/nowhere', token),
    request(400, 'PATCH', path, token, [{ op: 'remove', path: '/nothing' }]),
    request(400, 'POST', items, token, { category: 'NONE' }),
    request(405, 'POST', path, token),
  ]
}

function request(status: number, method: string, path: string, token: string, body?: unknown) {
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
