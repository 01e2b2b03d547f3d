/** Speaks to a mount that is being tested: politely, and byte by byte. */

import type { TestTokens, TestVault } from '../test-vault.js'

/** A mount and the test vault behind it. */
export interface HttpTarget {
  /** Where the mount listens, with the prefix it is mounted under, such as `http://127.0.0.1:8080/api`. */
  readonly origin: string
  /** The vault whose handler is mounted; fresh for each case. */
  readonly vault: TestVault
}

/** What came back. */
export interface ClientResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The text as JSON; undefined if it is none. */
  readonly json: unknown
}

/** How a request differs from one of the caller who may everything. */
export interface RequestOptions {
  /** Whose token is sent; nobody's if null. */
  readonly as?: keyof TestTokens | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
}

/** The path of the vault, or of something in it. */
export function vaultPath({ vault }: HttpTarget, rest = ''): string {
  return `/v1/vaults/${vault.vaultId}${rest}`
}

/** The path of the item, or of something in it. */
export function itemPath(mount: HttpTarget, rest = ''): string {
  return vaultPath(mount, `/items/${mount.vault.item.id}${rest}`)
}

/** Sends a request and reads the whole answer. */
export async function request(
  mount: HttpTarget,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<ClientResponse> {
  const { as = 'full', headers = {}, body } = options
  const response = await fetch(mount.origin + path, {
    method,
    headers: {
      ...(as !== null && { authorization: `Bearer ${mount.vault.tokens[as]}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parseJson(text) }
}

/** Sends a request head and body exactly as they are given, and reads until the other side has answered once or closed. */
export async function rawRequest(
  mount: HttpTarget,
  header: readonly string[],
  body: string | Uint8Array = '',
  disconnect = false,
): Promise<{ readonly status: number; readonly text: string }> {
  const { connect } = await import('node:net')
  const { hostname, port } = new URL(mount.origin)
  const received: Uint8Array[] = []
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const finish = (): void => {
      socket.destroy()
      const text = new TextDecoder().decode(concatBytes(received))
      resolve({ status: Number(/^HTTP\/1\.\d (\d{3})/.exec(text)?.[1] ?? 0), text })
    }
    socket.setTimeout(5000, () => socket.destroy(new Error('no answer within five seconds')))
    socket.on('connect', () => {
      socket.write(`${header.join('\r\n')}\r\n\r\n`)
      socket.write(body, () => disconnect && setTimeout(finish, 50))
    })
    socket.on('data', (chunk) => {
      received.push(chunk)
      if (isCompleteResponse(new TextDecoder().decode(concatBytes(received)))) finish()
    })
    socket.on('end', finish)
    socket.on('error', (error) => (received.length > 0 ? finish() : reject(error)))
  })
}

/** The request line and headers of a raw request by the caller who may everything. */
export function requestHead(
  mount: HttpTarget,
  method: string,
  path: string,
  ...headers: readonly string[]
): string[] {
  const { pathname, host } = new URL(mount.origin)
  const target = `${pathname === '/' ? '' : pathname}${path}`
  return [
    `${method} ${target} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${mount.vault.tokens.full}`,
    ...headers,
  ]
}

function isCompleteResponse(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  if (length !== undefined)
    return new TextEncoder().encode(text.slice(end + 4)).length >= Number(length)
  return text.endsWith('\r\n0\r\n\r\n') || /^HTTP\/1\.\d 204/.test(text)
}

function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(chunks.flatMap((chunk) => [...chunk]))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
