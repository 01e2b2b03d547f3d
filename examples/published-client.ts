/** Tests an app that has the published client, in process: its requests go through fetch into a vault, without a socket. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type IRequestClient, OnePasswordConnect, type OPConnect } from '@1password/connect'
import { connectDialect } from 'cofferkit/connect'
import { createFetchHandler } from 'cofferkit/fetch'
import { createTestVault } from 'cofferkit/testing'

/** The app: gives a login a new password, and answers it. */
async function rotatePassword(client: OPConnect, vaultId: string, title: string): Promise<string> {
  const item = await client.getItemByTitle(vaultId, title)
  const password = item.fields?.find(({ id }) => id === 'password')
  if (password === undefined) throw new Error('this login has no password')
  Object.assign(password, { value: '', generate: true, recipe: { length: 40 } })
  const { fields } = await client.updateItem(vaultId, item)
  return fields?.find(({ id }) => id === 'password')?.value ?? ''
}

/** What the client sends its requests with, in place of its own HTTP. */
function requestsTo(answer: (request: Request) => Promise<Response>): IRequestClient {
  return {
    defaultTimeout: 0,
    async request(method, url, { authToken, data }) {
      const headers = { authorization: `Bearer ${authToken}`, 'content-type': 'application/json' }
      const body = data === undefined ? null : JSON.stringify(data)
      const response = await answer(new Request(url, { method, headers, body }))
      const answered: unknown = response.status === 204 ? undefined : await response.json()
      if (!response.ok) throw answered
      return { status: response.status, data: answered }
    },
  }
}

const vault = await createTestVault({ dialect: connectDialect })
const { service, caller, vaultId, item, tokens } = vault
const httpClient = requestsTo(createFetchHandler(vault.handler))
const clientOf = (token: string): OPConnect =>
  OnePasswordConnect({ serverURL: 'http://vault.test', token, httpClient })

test('a login gets a new password, and keeps the rest', async () => {
  const value = await rotatePassword(clientOf(tokens.full), vaultId, 'Example')
  assert.match(value, /^[\w!@.*-]{40}$/)
  const { version, fields } = await service.getItem(caller, { vaultId, itemId: item.id })
  assert.equal(version, item.version + 1)
  assert.deepEqual(
    fields.map((field) => field.value),
    ['wendy', value, '1234'],
  )
})

test('a title that no login has is the error of the client', async () => {
  await assert.rejects(rotatePassword(clientOf(tokens.full), vaultId, 'Another'), {
    status: 404,
    message: 'No Items found with title',
  })
})

test('a token that only reads is refused by the vault', async () => {
  await assert.rejects(rotatePassword(clientOf(tokens.reader), vaultId, 'Example'), {
    status: 403,
    message: `vault ${vaultId} is not in scope for writing`,
  })
})
