/** Replays recorded requests of other clients, byte by byte over a socket. */

import { createMemoryActivityLog } from '../../../src/activity.js'
import { createNodeListener } from '../../../src/adapters/node.js'
import { rawRequest } from '../../../src/base/raw-request.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import type { Item } from '../../../src/index.js'
import type { TestVault } from '../../../src/testing.js'
import { createTestVault } from './checked-handlers.js'
import type { Shape } from './client-shapes.js'
import { withListener } from './serve.js'

/** A title with every character that clients escape differently. */
const oddTitle = 'Say "hi" & C++ 100%'

/** The ids and paths that the requests use. They are the same in every vault created here. */
export interface ReplayVault {
  readonly vault: TestVault
  readonly vaultId: string
  /** The path of the vault's items. */
  readonly items: string
  /** The path of the login `Example`, which has two files. */
  readonly item: string
  readonly itemId: string
  /** The item with the unusual title, the tag `odd` and a one-time code. */
  readonly oddId: string
}

/** A request of a client, and the response that the client expects. */
export interface ReplayedRequest {
  /** The name of the client. */
  readonly client: string
  /** The action of its user. */
  readonly does: string
  readonly method: string
  /** The target in the request line. */
  readonly path: string
  /** The headers of the client; `host` and `authorization` are added if absent. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent as JSON; a string is sent unchanged. One chunk with `transfer-encoding: chunked`. */
  readonly body?: object | string
  readonly expects: {
    readonly status: number
    /** The shape in which the client parses the response. */
    readonly shape: Shape
    /** The expected parts of the body, compared by `toMatchObject`. */
    readonly body?: unknown
  }
}

/** A response. */
export interface ReplayResponse {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
}

/** Creates a vault with the connect dialect and everything that the requests use. */
export async function createReplayVault(): Promise<ReplayVault> {
  const activity = createMemoryActivityLog()
  const vault = await createTestVault({ dialect: connectDialect, activity })
  const { service, caller, vaultId, item } = vault
  const body: unknown = {
    category: 'LOGIN',
    title: oddTitle,
    tags: ['odd'],
    fields: [{ id: 'code', type: 'OTP', label: 'code', value: otpauth }],
  }
  const odd = await service.createItem(caller, { vaultId, item: body as Item })
  const client = { userAgent: 'okhttp/3.14.9', requestIp: '203.0.113.9' }
  await service.getItem({ ...caller, client }, { vaultId, itemId: item.id })
  const items = `/v1/vaults/${vaultId}/items`
  return {
    vault,
    vaultId,
    items,
    item: `${items}/${item.id}`,
    itemId: item.id,
    oddId: odd.id,
  }
}

/** The secret of RFC 6238's test vectors. */
export const otpauth = 'otpauth://totp/Odd:wendy?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=8'

/** Runs `work` with a function that sends requests to `vault` over a socket. */
export function withReplay(
  vault: TestVault,
  work: (
    send: (request: Omit<ReplayedRequest, 'expects'>) => Promise<ReplayResponse>,
  ) => Promise<void>,
): Promise<void> {
  return withListener(createNodeListener(vault.handler), (origin) =>
    work(async ({ method, path, headers, body }) => {
      const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '')
      const length = Buffer.byteLength(text)
      const isChunked = headers['transfer-encoding'] === 'chunked'
      const sent = isChunked ? `${length.toString(16)}\r\n${text}\r\n0\r\n\r\n` : text
      const all: Record<string, string> = {
        host: new URL(origin).host,
        authorization: `Bearer ${vault.tokens.full}`,
        ...(body !== undefined && !isChunked && { 'content-length': String(length) }),
        ...headers,
      }
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
      const head = [`${method} ${path} HTTP/1.1`, ...lines]
      const raw = await rawRequest({ origin }, head, { body: sent })
      return toReplayResponse(raw)
    }),
  )
}

function toReplayResponse({ status, text }: { status: number; text: string }): ReplayResponse {
  const end = text.indexOf('\r\n\r\n')
  const lines = text.slice(0, end).split('\r\n').slice(1)
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(': ')
    return [name.toLowerCase(), value.join(': ')]
  })
  return { status, headers: new Map(headers), text: text.slice(end + 4) }
}
