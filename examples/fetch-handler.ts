/** Tests an app that calls a vault over HTTP, without a server: its `fetch` is the vault. */

import assert from 'node:assert/strict'
import { createFetchHandler } from 'cofferkit/fetch'
import { createTestVault } from 'cofferkit/testing'

interface Login {
  readonly fields: readonly { readonly id: string; readonly value?: string }[]
}

/** The app under test: builds a connection string from a login in the vault. */
async function connectionString(
  fetchVault: (request: Request) => Promise<Response>,
  url: string,
  token: string,
): Promise<string> {
  const response = await fetchVault(
    new Request(url, { headers: { authorization: `Bearer ${token}` } }),
  )
  if (!response.ok) throw new Error(`the vault returned ${response.status}`)
  const { fields }: Login = await response.json()
  const partOf = (id: string): string =>
    encodeURIComponent(fields.find((field) => field.id === id)?.value ?? '')
  return `postgres://${partOf('username')}:${partOf('password')}@db/shop`
}

const { handler, vaultId, item, tokens } = await createTestVault()
const fetchVault = createFetchHandler(handler)
const url = `http://vault.test/v1/vaults/${vaultId}/items/${item.id}`

assert.equal(
  await connectionString(fetchVault, url, tokens.reader),
  'postgres://wendy:correct%20horse@db/shop',
)
await assert.rejects(
  connectionString(fetchVault, url, tokens.otherVault),
  /the vault returned 403/,
)
console.log('The app reads its login, and throws when it has no access.')
