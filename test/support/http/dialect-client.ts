/** A client of a test vault with one of the dialects. */

import { createFetchHandler } from '../../../src/adapters/fetch.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import { contractDialect } from '../../../src/dialects/contract.js'
import type { TestTokens, TestVault } from '../../../src/testing.js'
import { createTestVault } from './checked-handlers.js'

/** The dialects by name. */
export const dialects = { contract: contractDialect, connect: connectDialect } as const

/** A response; `json` is undefined if the body is not JSON. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: unknown
}

/** Options of a request. */
interface SendOptions {
  readonly as?: keyof TestTokens
  readonly headers?: Readonly<Record<string, string>>
}

/** A test vault and a client of it. */
export interface DialectClient {
  readonly vault: TestVault
  /** The path of the vault's items. */
  readonly items: string
  /** The path of the test vault’s item. */
  readonly item: string
  /** Sends a body as JSON; a string is sent unchanged. */
  send(method: string, path: string, body?: unknown, options?: SendOptions): Promise<Reply>
}

/** Creates a client of a new test vault. */
export async function createDialectClient(dialect: keyof typeof dialects): Promise<DialectClient> {
  const vault = await createTestVault({ dialect: dialects[dialect] })
  const fetchVault = createFetchHandler(vault.handler)
  const items = `/v1/vaults/${vault.vaultId}/items`
  return {
    vault,
    items,
    item: `${items}/${vault.item.id}`,
    send: async (method, path, body, { as = 'full', headers = {} } = {}) => {
      const request = new Request(`http://vault.example${path}`, {
        method,
        headers: {
          authorization: `Bearer ${vault.tokens[as]}`,
          'content-type': 'application/json',
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const response = await fetchVault(request)
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
      const json: unknown = isJson ? JSON.parse(text) : undefined
      return { status: response.status, headers: response.headers, text, json }
    },
  }
}
