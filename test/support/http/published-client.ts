/** Connects the published JavaScript client, unmodified, to a vault on a real socket. */

import { createServer, type IncomingMessage } from 'node:http'
import { PassThrough, type Stream } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type FullItem, ItemBuilder, OnePasswordConnect, type OPConnect } from '@1password/connect'
import { createNodeListener } from '../../../src/adapters/node.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import type { TestTokens, TestVault } from '../../../src/testing.js'
import { createTestVault } from './checked-handlers.js'
import { withServer } from './serve.js'

/** A vault with the connect dialect, and clients of it. */
export interface ClientSide extends TestVault {
  /** The client with the token `full`. */
  readonly client: OPConnect
  /** Creates a client with another token, or with an unknown one. */
  clientOf(token: keyof TestTokens | 'unknown'): OPConnect
  /** Method and target of every request so far. */
  readonly requests: readonly string[]
}

/** The names of the client methods that any test called. */
export const calledMethods: Set<string | symbol> = new Set()

/** Runs `work` with a new vault on its own socket. */
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
  return withServer(server, (serverURL) => {
    const clientOf: ClientSide['clientOf'] = (name) => {
      const token = name === 'unknown' ? 'an-unknown-token' : vault.tokens[name]
      return recordMethods(OnePasswordConnect({ serverURL, token }))
    }
    return work({ ...vault, client: clientOf('full'), clientOf, requests })
  })
}

/** Creates a login with the builder of the client. */
export function buildLogin(title: string): FullItem {
  return new ItemBuilder().setCategory('LOGIN').setTitle(title).build()
}

/** Reads a stream of the client. */
export function readStream(stream: Stream): Promise<Buffer> {
  return buffer(stream.pipe(new PassThrough()))
}

/** Records the methods that are called on a client. */
function recordMethods(client: OPConnect): OPConnect {
  return new Proxy(client, {
    get(target, name, receiver) {
      calledMethods.add(name)
      return Reflect.get(target, name, receiver)
    },
  })
}
