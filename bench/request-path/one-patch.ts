/** A vault on `node:http`, and the PATCH to measure: two operations on an item of three fields. */

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { createCaller, createVaultService } from 'cofferkit'
import {
  bearerAuth,
  createHttpHandler,
  type HttpRequest,
  type HttpResponse,
  type StreamedBody,
} from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { createNodeListener } from 'cofferkit/node'
import { createToken, createTokenAuthenticator } from 'cofferkit/tokens'

/** The ids of the item's fields. A value that contains all three contains the item. */
export const fieldIds: readonly string[] = ['field-one', 'field-two', 'field-three']

/** Two ways to make the same PATCH. Each call sets other values than the call before. */
export interface PatchServer {
  /** Sends it over a socket. Resolves when both ends have finished with the request. */
  send(): Promise<void>
  /** A call of the handler alone, ready to be made. Its body has arrived in full. */
  prepare(): () => Promise<HttpResponse>
  close(): void
}

/** A server on a free port of loopback: static tokens, memory store, no log, no tracer. */
export async function startPatchServer(): Promise<PatchServer> {
  const service = createVaultService({ store: createMemoryStore() })
  const owner = createCaller('owner', '*')
  const vault = await service.createVault(owner, { name: 'Bench' })
  const purposes = [{ purpose: 'USERNAME' }, { purpose: 'PASSWORD' }, {}] as const
  const fields = fieldIds.map((id, index) => ({ ...purposes[index], id, value: 'first' }))
  const item = await service.createItem(owner, {
    vaultId: vault.id,
    item: { vault: { id: vault.id }, category: 'LOGIN', title: 'First', fields },
  })

  const { token, sha256 } = await createToken()
  const tokens = [{ id: 'editor', sha256, vaults: { [vault.id]: 'read-write' } }] as const
  const handler = createHttpHandler(service, {
    authenticate: bearerAuth(createTokenAuthenticator({ tokens })),
  })
  const server = createServer(createNodeListener(handler))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const { port } = address

  const method = 'PATCH'
  const path = `/v1/vaults/${vault.id}/items/${item.id}`
  let calls = 0
  const nextBody = (): Buffer => {
    calls += 1
    const patch = [
      { op: 'replace', path: '/title', value: `Title ${calls}` },
      { op: 'replace', path: '/fields/field-three/value', value: `value ${calls}` },
    ]
    return Buffer.from(JSON.stringify(patch))
  }

  return {
    async send() {
      const served = once(server, 'request').then(([, response]) => once(response, 'close'))
      const body = nextBody()
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': body.length,
      }
      const sent = request({ host: '127.0.0.1', port, method, path, headers }).end(body)
      const [response] = await once(sent, 'response')
      response.resume()
      await Promise.all([once(response, 'end'), served])
      requireOk(response.statusCode)
    },
    prepare() {
      const body = nextBody()
      const headers = new Map([
        ['authorization', `Bearer ${token}`],
        ['content-type', 'application/json'],
        ['content-length', `${body.length}`],
      ])
      const call: HttpRequest = {
        method,
        url: path,
        header: (name) => headers.get(name.toLowerCase()),
        remoteAddress: '127.0.0.1',
        body: arrived(body),
      }
      return () => handler(call)
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The bytes as a body that has arrived, as on `node:http`. */
function arrived(bytes: Uint8Array): StreamedBody {
  const next = () => Promise.reject(new Error('the body is read in pieces'))
  return { takeArrived: () => bytes, [Symbol.asyncIterator]: () => ({ next }) }
}

/** @throws Error if the status is not 200. */
export function requireOk(status: number): void {
  if (status !== 200) throw new Error(`the status of the PATCH is ${status}`)
}
