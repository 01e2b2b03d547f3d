/** A client of a test vault that reads bodies in one dialect or the other. */

import { createFetchHandler } from '../../../src/adapters/fetch.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import { contractDialect } from '../../../src/dialects/contract.js'
import type { TestTokens, TestVault } from '../../../src/testing.js'
import { createTestVault } from './checked-handlers.js'

/** Every dialect, by the name under which a test speaks of it. */
export const dialects = { contract: contractDialect, connect: connectDialect } as const

/** What came back; `json` is undefined where there is none. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: unknown
}

/** How a request differs from a plain one of the caller who may everything. */
interface Manner {
  readonly as?: keyof TestTokens
  readonly headers?: Readonly<Record<string, string>>
}

/** A test vault and how it is spoken to. */
export interface DialectClient {
  readonly vault: TestVault
  /** The path of the vault's items. */
  readonly items: string
  /** The path of the item that is there from the start. */
  readonly item: string
  /** Sends a body as JSON; text is sent as it stands. */
  send(method: string, path: string, body?: unknown, manner?: Manner): Promise<Reply>
}

/** A client of a new test vault. */
export async function clientOf(dialect: keyof typeof dialects): Promise<DialectClient> {
  const vault = await createTestVault({ dialect: dialects[dialect] })
  const answer = createFetchHandler(vault.handler)
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
      const response = await answer(request)
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
      const json: unknown = isJson ? JSON.parse(text) : undefined
      return { status: response.status, headers: response.headers, text, json }
    },
  }
}
