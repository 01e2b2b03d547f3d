/** An HTTP client for contract cases: requests with `fetch`, and the heads of raw requests. */

import { parseJson } from '../../base/parse-json.js'
import { startRequest } from '../../base/raw-request.js'
import type { TestTokens, TestVault } from '../test-vault.js'

/**
 * The changes that a platform, or a body parser in front of a mount, makes to a request before the
 * mount gets it. No mount can undo them.
 */
export interface PlatformLimits {
  /**
   * True if the platform resolves dot segments and backslashes in a target, as a `Request` does. A
   * changed target must then get the response of the target that it becomes.
   */
  readonly normalizesTargets?: boolean | undefined
  /**
   * True if the platform reads a body to its end, perhaps as a string or as a parsed value. A body
   * that is too long is then sent completely and with its length. A body that is not UTF-8, or
   * begins with a byte order mark, may be accepted.
   */
  readonly buffersBodies?: boolean | undefined
}

/** A mount under test, and the test vault that it serves. */
export interface HttpTarget {
  /** Scheme, host and port of the mount, and its prefix if any: `http://127.0.0.1:8080/api`. */
  readonly origin: string
  /** The vault whose handler is mounted. It must be new for each case. */
  readonly vault: TestVault
  /** The changes that the mount's platform makes. Default: none. */
  readonly platform?: PlatformLimits | undefined
}

/** A response that was read completely. */
export interface ClientResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body, or undefined if it is not JSON. */
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

/** Returns the request line and headers of a raw request with the token `full`. */
export function requestHead(
  mount: HttpTarget,
  method: string,
  path: string,
  ...headers: readonly string[]
): string[] {
  return [
    ...startRequest(mount, method, path),
    `authorization: Bearer ${mount.vault.tokens.full}`,
    ...headers,
  ]
}
