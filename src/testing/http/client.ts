/** An HTTP client for contract cases: requests with `fetch`, and raw requests byte by byte. */

import type { TestTokens, TestVault } from '../test-vault.js'
import { isCompleteResponse, type RawResponse, toRawResponse } from './raw-response.js'

/**
 * The changes that a platform, or a body parser in front of a mount, makes to a request before the
 * mount gets it. No mount can undo them.
 */
export interface PlatformLimits {
  /**
   * True if it resolves dot segments and backslashes in a target, as a `Request` does. A target that
   * this changes must then get the response of the target that it becomes.
   */
  readonly normalizesTargets?: boolean | undefined
  /**
   * True if it reads a body to its end, perhaps as text or as a value. A body that is too long is
   * then sent completely and with its length, and one that is not UTF-8 or begins with a byte order
   * mark may be accepted.
   */
  readonly buffersBodies?: boolean | undefined
}

/** A mount under test, and the test vault that it serves. */
export interface HttpTarget {
  /** Scheme, host and port of the mount, and its prefix if any: `http://127.0.0.1:8080/api`. */
  readonly origin: string
  /** The vault whose handler is mounted. It must be new for each case. */
  readonly vault: TestVault
  /** The changes that the platform of the mount makes. By default, it makes none. */
  readonly platform?: PlatformLimits | undefined
}

/** A response that was read completely. */
export interface ClientResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed text; undefined if it is not JSON. */
  readonly json: unknown
}

/** Options of `request`. */
export interface RequestOptions {
  /** The token to send; `full` by default, no token if null. */
  readonly as?: keyof TestTokens | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
}

/** Options of `rawRequest`. */
export interface RawRequestOptions {
  /** Sent after the head; empty by default. */
  readonly body?: string | Uint8Array
  /** Closes the connection 50 ms after the body was written, without waiting for a response. */
  readonly disconnect?: boolean
}

/** Returns the path of the test vault, or of something in it. */
export function vaultPath({ vault }: HttpTarget, rest = ''): string {
  return `/v1/vaults/${vault.vaultId}${rest}`
}

/** Returns the path of the test vault's item, or of something in it. */
export function itemPath(mount: HttpTarget, rest = ''): string {
  return vaultPath(mount, `/items/${mount.vault.item.id}${rest}`)
}

/** Sends a request with `fetch` and reads the complete response. */
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

/**
 * Sends a request exactly as given, and reads until a response is complete or the server closes the
 * connection. `head` contains the request line and the header lines.
 * @throws Error if nothing is received within 30 seconds, or the connection fails.
 */
export async function rawRequest(
  mount: Pick<HttpTarget, 'origin'>,
  head: readonly string[],
  { body = '', disconnect = false }: RawRequestOptions = {},
): Promise<RawResponse> {
  // Imported on demand, so that a bundle for a runtime without `node:net` can contain this file.
  const { connect } = await import('node:net')
  const { hostname, port } = new URL(mount.origin)
  const received: Uint8Array[] = []
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const finish = (): void => {
      socket.destroy()
      resolve(toRawResponse(received))
    }
    socket.setTimeout(30_000, () => socket.destroy(new Error('no response within 30 seconds')))
    socket.on('connect', () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      socket.write(body, () => disconnect && setTimeout(finish, 50))
    })
    socket.on('data', (chunk) => {
      received.push(chunk)
      if (isCompleteResponse(received)) finish()
    })
    socket.on('end', finish)
    socket.on('error', (error) => (received.length > 0 ? finish() : reject(error)))
  })
}

/** Returns the request line and headers of a raw request with the token `full`. */
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
