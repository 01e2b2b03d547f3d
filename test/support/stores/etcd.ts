/** etcd for tests: a server of one member, if it is installed. */

import { createServer } from 'node:http'
import type { VaultStore } from '../../../src/index.js'
import { createEtcdStore, type EtcdStoreOptions } from '../../../src/storage/etcd.js'
import { etcdProgram } from '../../../tools/reliability/support/etcd-server.js'

/** True if etcd is installed. */
export const hasEtcd = etcdProgram() !== undefined

/** The suffix of titles when etcd is not installed. */
export const skippedSuffix = hasEtcd ? '' : ' (not run: install etcd-server)'

let prefixes = 0

/** Creates a store with a prefix of its own. */
export function createStoreAt(
  endpoint: string,
  options: Partial<EtcdStoreOptions> = {},
): VaultStore {
  return createEtcdStore({ endpoints: [endpoint], prefix: `t${++prefixes}/`, ...options })
}

/** Encodes text in base64. */
export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** Sends a request to the gateway. Resolves with the parsed response. */
export async function callGateway(
  endpoint: string,
  path: string,
  body: object,
  token?: string,
): Promise<Record<string, unknown>> {
  const headers = token === undefined ? {} : { Authorization: token }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await fetch(`${endpoint}/v3/${path}`, init)).json() as Promise<Record<string, unknown>>
}

/** Returns all keys of the server that begin with the prefix. */
export async function listKeys(endpoint: string, prefix: string): Promise<readonly string[]> {
  const range = { key: base64(prefix), range_end: base64(`${prefix}\x7f`), keys_only: true }
  const { kvs = [] } = await callGateway(endpoint, 'kv/range', range)
  return (kvs as { key: string }[]).map(({ key }) => Buffer.from(key, 'base64').toString())
}

/** A request that a gateway has received. */
export interface GatewayRequest {
  readonly path: string
  readonly body: Record<string, unknown>
  readonly authorization: string | undefined
}

/** An HTTP server in place of a member. */
export interface Gateway {
  readonly endpoint: string
  readonly requests: readonly GatewayRequest[]
  close(): Promise<void>
}

/**
 * Starts a server whose responses are those of `respond`: a body with status 200, or a status and a
 * body; `drop` closes the connection, `hang` sends nothing.
 */
export async function startGateway(
  respond: (request: GatewayRequest) => GatewayResponse | Promise<GatewayResponse>,
): Promise<Gateway> {
  const requests: GatewayRequest[] = []
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { authorization } = incoming.headers
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}')
    const request = { path: incoming.url ?? '', body, authorization }
    requests.push(request)
    const answer = await respond(request)
    if (answer === 'hang') return
    if (answer === 'drop') return void incoming.socket.destroy()
    const { status = 200, headers = {}, text } = answer
    response.writeHead(status, headers).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return {
    endpoint: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The response of a {@link Gateway}. */
export type GatewayResponse =
  | 'drop'
  | 'hang'
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly text: string
    }

/** Forwards a request to a server. */
export async function forward(endpoint: string, request: GatewayRequest): Promise<GatewayResponse> {
  const { path, body, authorization } = request
  const headers = authorization === undefined ? {} : { Authorization: authorization }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${endpoint}${path}`, init)
  return { status: response.status, text: await response.text() }
}
