/** Requests in the form in which a mount passes them to a handler. */

import type { HttpRequest, HttpResponse } from '../../../src/http/message.js'
import type { TestVault } from '../../../src/testing.js'
import { streamOf, utf8 } from '../bytes.js'
import { readRecords } from '../stores/stores.js'

/** Differences from a plain request with the token `full`. */
export interface RequestChanges {
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: HttpRequest['body']
}

/** Creates a request with the token `full`; header names are in lower case. */
export function createRequest(
  vault: Pick<TestVault, 'tokens'>,
  method: string,
  url: string,
  { headers = {}, body = null }: RequestChanges = {},
): HttpRequest {
  const all: Record<string, string | undefined> = {
    authorization: `Bearer ${vault.tokens.full}`,
    ...headers,
  }
  return { method, url, body, header: (name) => all[name.toLowerCase()] }
}

/** Returns the path of the vault, or of something in it. */
export function vaultUrl({ vaultId }: TestVault, rest = ''): string {
  return `/v1/vaults/${vaultId}${rest}`
}

/** Returns the path of the item, or of something in it. */
export function itemUrl(vault: TestVault, rest = ''): string {
  return vaultUrl(vault, `/items/${vault.item.id}${rest}`)
}

/** Returns the status and the parsed body of a response. */
export function parseResponse({ status, body }: HttpResponse): { status: number; body: unknown } {
  return { status, body: typeof body === 'string' ? JSON.parse(body) : body }
}

/** Sends a body of JSON text. Returns the response, and whether any record changed. */
export async function sendJson(
  vault: TestVault,
  method: string,
  url: string,
  text: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; message: unknown; changed: boolean }> {
  const before = await readRecords(vault.store, vault.vaultId)
  const response = await vault.handler(
    createRequest(vault, method, url, { headers, body: streamOf([utf8(text)]) }),
  )
  const { status, body } = parseResponse(response)
  const changed =
    JSON.stringify(await readRecords(vault.store, vault.vaultId)) !== JSON.stringify(before)
  return { status, message: Reflect.get(Object(body), 'message'), changed }
}
