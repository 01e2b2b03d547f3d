/** Points the published JavaScript client, unmodified, at a vault on a real socket. */

import { createServer, type IncomingMessage } from 'node:http'
import { PassThrough, type Stream } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type FullItem, ItemBuilder, OnePasswordConnect, type OPConnect } from '@1password/connect'
import { createNodeListener } from '../../../src/adapters/node.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import type { TestTokens, TestVault } from '../../../src/testing.js'
import { createTestVault } from './checked-handlers.js'
import { listening } from './serve.js'

/** A vault that speaks the connect dialect, and clients of it. */
export interface ClientSide extends TestVault {
  /** The client of the caller who may everything. */
  readonly client: OPConnect
  /** The client of somebody else. */
  clientOf(token: keyof TestTokens | 'nobody'): OPConnect
  /** Every request so far, as method and target. */
  readonly requests: readonly string[]
}

/** The names of the methods that were called on any client so far. */
export const calledMethods: Set<string | symbol> = new Set()

/** Runs `work` with a new vault on a socket of its own. */
export async function withClient<Result>(
  work: (side: ClientSide) => Promise<Result>,
): Promise<Result> {
  const vault = await createTestVault({ dialect: connectDialect })
  const requests: string[] = []
  const listener = createNodeListener(vault.handler)
  const server = createServer((request: IncomingMessage, response) => {
    requests.push(`${request.method} ${request.url}`)
    listener(request, response)
  })
  return listening(server, (serverURL) => {
    const clientOf: ClientSide['clientOf'] = (name) => {
      const token = name === 'nobody' ? 'of-nobody' : vault.tokens[name]
      return noted(OnePasswordConnect({ serverURL, token }))
    }
    return work({ ...vault, client: clientOf('full'), clientOf, requests })
  })
}

/** A login of this title, as the client's own builder makes it. */
export function loginOf(title: string): FullItem {
  return new ItemBuilder().setCategory('LOGIN').setTitle(title).build()
}

/** All bytes of a stream that the client hands out. */
export function bytesOf(stream: Stream): Promise<Buffer> {
  return buffer(stream.pipe(new PassThrough()))
}

/** The same client; which of its methods are called is noted. */
function noted(client: OPConnect): OPConnect {
  return new Proxy(client, {
    get(target, name, receiver) {
      calledMethods.add(name)
      return Reflect.get(target, name, receiver)
    },
  })
}
