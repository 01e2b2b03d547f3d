/**
 * Tests an app with Mock Service Worker: requests of every HTTP client reach a vault in the same
 * process.
 */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  ItemBuilder,
  ItemCategory,
  OnePasswordConnect,
} from '@1password/connect'
import { connectDialect } from 'cofferkit/connect'
import { createFetchHandler } from 'cofferkit/fetch'
import { createTestVault } from 'cofferkit/testing'
import { http } from 'msw'
import { setupServer } from 'msw/node'

const origin = 'https://vault.test'
const { handler, vaultId, item, largeFile, tokens } = await createTestVault({
  dialect: connectDialect,
})
const handle = createFetchHandler(handler)
const server = setupServer(
  http.all(`${origin}/*`, ({ request }) => handle(request)),
)
before(() => server.listen({ onUnhandledFrame: 'error' }))
after(() => server.close())

test('the published client creates an item through its own HTTP', async () => {
  const client = OnePasswordConnect({ serverURL: origin, token: tokens.full })
  const note = new ItemBuilder()
    .setCategory(ItemCategory.SecureNote)
    .setTitle('Door code')
    .build()
  const { id = '' } = await client.createItem(vaultId, note)
  assert.equal((await client.getItem(vaultId, id)).title, 'Door code')
})

test('fetch downloads a file', async () => {
  const headers = { authorization: `Bearer ${tokens.reader}` }
  const response = await fetch(new URL(largeFile.content_path, origin), {
    headers,
  })
  assert.deepEqual(
    await response.bytes(),
    new Uint8Array(largeFile.size).fill(7),
  )
})

test('a request without a token is rejected', async () => {
  const response = await fetch(
    `${origin}/v1/vaults/${vaultId}/items/${item.id}`,
  )
  assert.equal(response.status, 401)
})
