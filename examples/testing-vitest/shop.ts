/** The code under test: a rule on a vault, a part of an HTTP service, and a program with a client. */

import type { OPConnect } from '@1password/connect'
import type { Caller, VaultService } from 'cofferkit'

const day = 24 * 60 * 60 * 1000

/** Renews every password of a vault that has not changed for 90 days. Returns their number. */
export async function renewPasswords(
  service: VaultService,
  caller: Caller,
  vaultId: string,
  now: Date,
): Promise<number> {
  const items = await service.listItems(caller, { vaultId })
  const old = items.filter(
    ({ updatedAt }) => now.getTime() - Date.parse(updatedAt) >= 90 * day,
  )
  for (const { id: itemId, version } of old)
    await service.regenerateField(caller, {
      ...{ vaultId, itemId, fieldId: 'password', ifVersion: version },
      recipe: { length: 24 },
    })
  return old.length
}

/** Reads the address of a database over HTTP. */
export async function readDatabaseUrl(
  request: typeof fetch,
  itemUrl: string,
  token: string,
): Promise<string> {
  const response = await request(itemUrl, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!response.ok) throw await response.json()
  const { fields }: Fields = await response.json()
  return toUrl(fields)
}

/** Reads the address of a database with the client of 1Password Connect. */
export async function findDatabaseUrl(
  client: OPConnect,
  vaultId: string,
  title: string,
): Promise<string> {
  const { fields = [] } = await client.getItemByTitle(vaultId, title)
  return toUrl(fields)
}

interface Fields {
  readonly fields: readonly { readonly id?: string; readonly value?: string }[]
}

function toUrl(fields: Fields['fields']): string {
  const [user, password, host, name] = [
    'username',
    'password',
    'hostname',
    'database',
  ].map((id) =>
    encodeURIComponent(fields.find((field) => field.id === id)?.value ?? ''),
  )
  return `postgres://${user}:${password}@${host}/${name}`
}
