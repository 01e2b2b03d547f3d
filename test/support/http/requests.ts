/** Plain requests, as a mount hands them to a handler. */

import type { HttpRequest, HttpResponse } from '../../../src/http/message.js'
import type { TestVault } from '../../../src/testing.js'
import { streamOf, utf8 } from '../bytes.js'
import { recordsOf } from '../stores/stores.js'

/** What of a request is unlike that of the caller who may everything. */
export interface RequestChanges {
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: HttpRequest['body']
}

/** A request by the caller who may everything; header names are in lower case. */
export function requestTo(
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

/** The target of the vault, or of something in it. */
export function vaultUrl({ vaultId }: TestVault, rest = ''): string {
  return `/v1/vaults/${vaultId}${rest}`
}

/** The target of the item, or of something in it. */
export function itemUrl(vault: TestVault, rest = ''): string {
  return vaultUrl(vault, `/items/${vault.item.id}${rest}`)
}

/** What a response says: its status, and its body as JSON. */
export function saidIn({ status, body }: HttpResponse): { status: number; body: unknown } {
  return { status, body: typeof body === 'string' ? JSON.parse(body) : body }
}

/** The answer to a body, given as JSON text, and whether anything that is stored has changed. */
export async function answerTo(
  vault: TestVault,
  method: string,
  url: string,
  text: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; message: unknown; changed: boolean }> {
  const before = await recordsOf(vault.store, vault.vaultId)
  const response = await vault.handler(
    requestTo(vault, method, url, { headers, body: streamOf([utf8(text)]) }),
  )
  const { status, body } = saidIn(response)
  const changed =
    JSON.stringify(await recordsOf(vault.store, vault.vaultId)) !== JSON.stringify(before)
  return { status, message: Reflect.get(Object(body), 'message'), changed }
}
