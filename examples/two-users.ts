/** The vaults of the login examples: two users, each with a vault of their own, and a client. */

import type { Server } from 'node:http'
import {
  type Caller,
  createCaller,
  createVaultService,
  type VaultPermissions,
} from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'

export const service = createVaultService({
  store: createMemoryStore(),
  strict: true,
})
const setup = createCaller({ id: 'setup', vaults: '*' })
const home = await service.createVault(setup, { name: 'Home' })
const office = await service.createVault(setup, { name: 'Office' })

const permissions = new Map<string, VaultPermissions>([
  ['wendy@example.com', { [home.id]: 'read-write' }],
  ['nick@example.com', { [office.id]: 'read-write' }],
])

/** Returns the caller for a user. In your app, their permissions are in your database. */
export async function callerOf(email: string): Promise<Caller> {
  return createCaller({ id: email, vaults: permissions.get(email) ?? {} })
}

/** The name and the password that the client sends. */
export const credentials = {
  email: 'wendy@example.com',
  password: 'correct horse',
}

/** Returns true for wendy with her password. In your app, compare it with a hash. */
export function isUser(email: unknown, password: unknown): boolean {
  return email === credentials.email && password === credentials.password
}

/** Returns the origin of a server, which listens on a free port. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

/** Logs in as wendy. Returns the header with which the client is logged in: a cookie or a token. */
export async function logIn(
  url: string,
): Promise<Readonly<Record<string, string>>> {
  const response = await send(url, 'POST', credentials, {
    origin: new URL(url).origin,
  })
  if (!response.ok) throw new Error(`the login returned ${response.status}`)
  const cookies = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
  if (cookies.length > 0) return { cookie: cookies.join('; ') }
  return { authorization: `Bearer ${(await response.json()).token}` }
}

/**
 * Sends requests to the vault at `base`, the URL up to `/v1`, without and with the login. Prints a
 * line for each response.
 */
export async function visitAs(
  login: Readonly<Record<string, string>>,
  base: string,
): Promise<void> {
  const items = `${base}/v1/vaults/${home.id}/items`
  const { status, headers } = await fetch(items)
  const scheme =
    headers.get('www-authenticate')?.split(' ')[0] ?? 'no challenge'
  console.log(`not logged in: ${status}, ${scheme}`)

  const draft = {
    category: 'SECURE_NOTE',
    vault: { id: home.id },
    title: 'Door code',
  }
  const item = await (await send(items, 'POST', draft, login)).json()
  console.log('a new item of', item.lastEditedBy)
  const read = await (
    await fetch(`${items}/${item.id}`, { headers: login })
  ).json()
  console.log('read again:', read.title)

  const others = await fetch(`${base}/v1/vaults/${office.id}/items`, {
    headers: login,
  })
  console.log('the vault of another user:', others.status)
}

/** Sends a body as JSON. */
export function send(
  url: string,
  method: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const type = { 'content-type': 'application/json' }
  return fetch(url, {
    method,
    headers: { ...type, ...headers },
    body: JSON.stringify(body),
  })
}
