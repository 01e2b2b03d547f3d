/** A client of a test vault that calls the bare handler, without a mount. */

import { connectDialect } from 'cofferkit/connect'
import type { HttpHandlerOptions, HttpRequest } from 'cofferkit/http'
import type { TestTokens, TestVault, TestVaultOptions } from 'cofferkit/testing'
import { expect } from 'vitest'
import { streamOf, utf8 } from '../../support/bytes.js'
import { createTestVault } from '../../support/http/checked-handlers.js'
import { readRecords } from '../../support/stores/stores.js'

/** A response; `json` is undefined if the body is not JSON. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly json: unknown
}

/** Differences from a request with the token that has every permission. */
export interface RequestOptions {
  /** The owner of the token; no token is sent if null. */
  readonly as?: keyof TestTokens | null
  /** By names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a string and bytes are sent unchanged. No body if absent. */
  readonly body?: unknown
}

/** The four operations of the contract and any other request. */
export interface ContractClient {
  readonly vault: TestVault
  /** The path of the vault's items. */
  readonly items: string
  /** The path of the stored item. */
  readonly item: string
  send(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** POST of an item with these attributes beside `category` and `vault`. */
  create(attributes?: object, options?: RequestOptions): Promise<Reply>
  /** PUT of the stored item with these attributes beside `category` and `vault`. */
  replace(attributes?: object, options?: RequestOptions): Promise<Reply>
  /** PATCH of the stored item. */
  patch(operations: unknown, options?: RequestOptions): Promise<Reply>
  /** The stored item, read with GET. */
  read(): Promise<Record<string, unknown>>
  /** GET of the details of a file of the stored item; `rest` follows the file's id. */
  file(fileId: string, rest?: string, options?: RequestOptions): Promise<Reply>
}

/** Well-formed ids under which nothing is stored. */
export const missing = {
  vault: '0'.repeat(26),
  item: 'o'.repeat(26),
  file: '00000000-0000-4000-8000-000000000000',
} as const

/** A client of a new test vault in the contract dialect or that of the options. */
export async function contractClient(
  options: TestVaultOptions<undefined> = {},
  httpOptions: Partial<HttpHandlerOptions> = {},
): Promise<ContractClient> {
  const vault = await createTestVault({ strict: false, ...options }, httpOptions)
  const items = `/v1/vaults/${vault.vaultId}/items`
  const item = `${items}/${vault.item.id}`
  const send: ContractClient['send'] = async (method, path, requestOptions = {}) => {
    const request = requestOf(vault, method, path, requestOptions)
    const { status, headers, body } = await vault.handler(request)
    const text = body === null ? '' : await new Response(body as BodyInit).text()
    const isJson = headers['content-type']?.startsWith('application/json') === true && text !== ''
    return { status, headers, text, json: isJson ? JSON.parse(text) : undefined }
  }
  const draft = (attributes: object): object => ({
    category: 'LOGIN',
    vault: { id: vault.vaultId },
    ...attributes,
  })
  return {
    vault,
    items,
    item,
    send,
    create: (attributes = {}, rest) => send('POST', items, { body: draft(attributes), ...rest }),
    replace: (attributes = {}, rest) => send('PUT', item, { body: draft(attributes), ...rest }),
    patch: (operations, rest) => send('PATCH', item, { body: operations, ...rest }),
    read: async () => Object((await send('GET', item)).json),
    file: (fileId, rest = '', requestOptions) =>
      send('GET', `${item}/files/${fileId}${rest}`, requestOptions),
  }
}

/** A client of a new test vault in the connect dialect. */
export function connectClient(options: TestVaultOptions<undefined> = {}): Promise<ContractClient> {
  return contractClient({ dialect: connectDialect, ...options })
}

/** Asserts that the response is an error with exactly this status and message. */
export function expectError(reply: Reply, status: number, message: string | RegExp): void {
  expect({ status: reply.status, json: reply.json }).toStrictEqual({
    status,
    json: {
      status,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    },
  })
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
}

/** Asserts that POST, PUT and PATCH accept every whole item; returns the responses of POST. */
export async function expectAccepted(
  client: ContractClient,
  ...items: readonly object[]
): Promise<Record<string, unknown>[]> {
  const created: Record<string, unknown>[] = []
  for (const attributes of items) {
    const replies = await sendEverywhere(client, attributes)
    expect(replies.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual([
      200, 200, 200,
    ])
    created.push(Object(replies[0]?.json))
  }
  return created
}

/** Asserts that POST, PUT and PATCH return 400 for every whole item and store nothing. */
export async function expectRejected(
  client: ContractClient,
  message: string | RegExp,
  ...items: readonly object[]
): Promise<void> {
  await expectUnchanged(client, async () => {
    for (const attributes of items)
      for (const reply of await sendEverywhere(client, attributes))
        expectError(withoutOperation(reply), 400, message)
  })
}

/** The response without the operation in the message, which only a PATCH names. */
function withoutOperation(reply: Reply): Reply {
  const { message } = Object(reply.json)
  if (typeof message !== 'string') return reply
  const reason = message.replace('operation 0 (""): ', '')
  return { ...reply, json: { ...Object(reply.json), message: reason } }
}

/** Asserts the same of POST and PUT only: a PATCH of the whole item does not need the vault. */
export async function expectRejectedBodies(
  client: ContractClient,
  message: string | RegExp,
  ...items: readonly object[]
): Promise<void> {
  await expectUnchanged(client, async () => {
    for (const attributes of items) {
      expectError(await client.create(attributes), 400, message)
      expectError(await client.replace(attributes), 400, message)
    }
  })
}

/** Asserts that no record of the vault differs after `work`. */
export async function expectUnchanged(
  { vault }: ContractClient,
  work: () => Promise<void>,
): Promise<void> {
  const before = await readRecords(vault.store, vault.vaultId)
  await work()
  expect(await readRecords(vault.store, vault.vaultId)).toEqual(before)
}

/** The members of an object that are named, in this order. */
export function pick(object: unknown, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, Reflect.get(Object(object), name)]))
}

/** The only field of an item with that id. */
export function fieldIn(item: unknown, id: string): Record<string, unknown> | undefined {
  const fields: unknown = Reflect.get(Object(item), 'fields')
  if (!Array.isArray(fields)) throw new Error('the item has no fields')
  return fields.find((field) => field.id === id)
}

async function sendEverywhere(client: ContractClient, attributes: object): Promise<Reply[]> {
  const whole = { category: 'LOGIN', vault: { id: client.vault.vaultId }, ...attributes }
  return [
    await client.create(attributes),
    await client.replace(attributes),
    await client.patch([{ op: 'replace', path: '', value: whole }]),
  ]
}

function requestOf(
  { tokens }: TestVault,
  method: string,
  url: string,
  { as = 'full', headers = {}, body }: RequestOptions,
): HttpRequest {
  const all: Readonly<Record<string, string>> = {
    ...(as !== null && { authorization: `Bearer ${tokens[as]}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
  return {
    method,
    url,
    header: (name) => all[name.toLowerCase()],
    body: body === undefined ? null : streamOf([bytesOf(body)]),
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  return utf8(typeof body === 'string' ? body : JSON.stringify(body))
}
