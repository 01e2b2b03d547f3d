/** Tests an app with the published client, whose requests reach a vault without a socket. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type IRequestClient,
  OnePasswordConnect,
  type OPConnect,
} from '@1password/connect'
import { connectDialect } from 'cofferkit/connect'
import { createFetchHandler } from 'cofferkit/fetch'
import { createTestVault } from 'cofferkit/testing'

/** The app under test: gives a login a new password, and returns it. */
async function rotatePassword(
  client: OPConnect,
  vaultId: string,
  title: string,
): Promise<string> {
  const item = await client.getItemByTitle(vaultId, title)
  const password = item.fields?.find(({ id }) => id === 'password')
  if (password === undefined) throw new Error('this login has no password')
  Object.assign(password, { value: '', generate: true, recipe: { length: 40 } })
  const { fields } = await client.updateItem(vaultId, item)
  return fields?.find(({ id }) => id === 'password')?.value ?? ''
}

/** Replaces the client's own HTTP with a fetch function. */
function requestsTo(
  handle: (request: Request) => Promise<Response>,
): IRequestClient {
  return {
    defaultTimeout: 0,
    async request(method, url, { authToken, data }) {
      const headers = {
        authorization: `Bearer ${authToken}`,
        'content-type': 'application/json',
      }
      const body = data === undefined ? null : JSON.stringify(data)
      const response = await handle(new Request(url, { method, headers, body }))
      const result: unknown =
        response.status === 204 ? undefined : await response.json()
      if (!response.ok) throw result
      return { status: response.status, data: result }
    },
  }
}

const vault = await createTestVault({ dialect: connectDialect })
const { service, caller, vaultId, item, tokens } = vault
const httpClient = requestsTo(createFetchHandler(vault.handler))
const clientOf = (token: string): OPConnect =>
  OnePasswordConnect({ serverURL: 'http://vault.test', token, httpClient })

test('gives a login a new password, and keeps the rest', async () => {
  const value = await rotatePassword(clientOf(tokens.full), vaultId, 'Example')
  assert.match(value, /^[\w!@.*-]{40}$/)
  const { version, fields } = await service.getItem(caller, {
    vaultId,
    itemId: item.id,
  })
  assert.equal(version, item.version + 1)
  const valueOf = (name: string) => fields.find(({ id }) => id === name)?.value
  assert.deepEqual(['username', 'password', 'pin'].map(valueOf), [
    'wendy',
    value,
    '1234',
  ])
})

test('rejects with the error of the client when no login has the title', async () => {
  await assert.rejects(
    rotatePassword(clientOf(tokens.full), vaultId, 'Another'),
    {
      status: 404,
      message: 'No Items found with title',
    },
  )
})

test('is rejected by the vault when the token can only read', async () => {
  await assert.rejects(
    rotatePassword(clientOf(tokens.reader), vaultId, 'Example'),
    {
      status: 403,
      message: `vault ${vaultId} is not in scope for writing`,
    },
  )
})
