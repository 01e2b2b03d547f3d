/** A provider that other processes use over HTTP. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TokenSet } from 'cofferkit/oauth'
import type { Provider } from './provider.js'

/** A running server. */
export interface ProviderServer {
  readonly url: string
  close(): Promise<void>
}

/** Serves `/refresh` and `/call`, whose bodies are tokens. A refresh takes at least half of `maxDelayMs`. */
export async function serveProvider(
  provider: Provider,
  maxDelayMs: number,
): Promise<ProviderServer> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const token = Buffer.concat(chunks).toString()
    const result = request.url === '/refresh' ? provider.refresh(token) : provider.call(token)
    if (request.url === '/refresh') await sleep((maxDelayMs * (1 + Math.random())) / 2)
    response.end(JSON.stringify(result))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = Object(server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Requests new tokens. */
export function requestTokens(url: string, refreshToken: string): Promise<TokenSet | false> {
  return post(`${url}/refresh`, refreshToken)
}

/** Calls the API. */
export function callApi(url: string, accessToken: string): Promise<boolean> {
  return post(`${url}/call`, accessToken)
}

async function post<Result>(url: string, body: string): Promise<Result> {
  const response = await fetch(url, { method: 'POST', body })
  const result: Result = await response.json()
  return result
}
