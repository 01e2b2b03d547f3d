import type { OPConnect } from '@1password/connect'
import { describe, expect, it } from 'vitest'
import { buildLogin, type ClientSide, withClient } from '../support/http/published-client.js'

const otherId = 'o'.repeat(26)

type Call = (client: OPConnect, side: ClientSide) => Promise<unknown>

const calls: readonly (readonly [string, Call])[] = [
  ['getVaultById', (client, { vaultId }) => client.getVaultById(vaultId)],
  ['listItems', (client, { vaultId }) => client.listItems(vaultId)],
  ['listItemsByTitle', (client, { vaultId }) => client.listItemsByTitle(vaultId, 'Mail')],
  ['getItemById', (client, { vaultId, item }) => client.getItemById(vaultId, item.id)],
  ['getItemByTitle', (client, { vaultId }) => client.getItemByTitle(vaultId, 'Mail')],
  ['getItemOTP', (client, { vaultId, item }) => client.getItemOTP(vaultId, item.id)],
  ['createItem', (client, { vaultId }) => client.createItem(vaultId, buildLogin('Mail'))],
  [
    'updateItem',
    (client, { vaultId, item }) =>
      client.updateItem(vaultId, Object.assign(buildLogin('Mail'), { id: item.id })),
  ],
  ['deleteItemById', (client, { vaultId, item }) => client.deleteItemById(vaultId, item.id)],
  ['listFiles', (client, { vaultId, item }) => client.listFiles(vaultId, item.id)],
  [
    'getFileById',
    (client, { vaultId, item, smallFile }) => client.getFileById(vaultId, item.id, smallFile.id),
  ],
]

describe('OPConnect: errors', () => {
  it.each(calls)('%s rejects with 401 for an invalid token', (_name, call) =>
    withClient(async (side) => {
      await expect(call(side.clientOf('unknown'), side)).rejects.toEqual({
        status: 401,
        message: 'Invalid bearer token',
      })
    }),
  )

  it.each(calls)('%s rejects with 403 without permission', (_name, call) =>
    withClient(async (side) => {
      await expect(call(side.clientOf('otherVault'), side)).rejects.toEqual({
        status: 403,
        message: `vault ${side.vaultId} is not in scope`,
      })
    }),
  )

  it('rejects with 403 when a reader writes', () =>
    withClient(async ({ clientOf, vaultId, item }) => {
      const expected = { status: 403, message: `vault ${vaultId} is not in scope for writing` }
      const reader = clientOf('reader')
      expect(await reader.getItemById(vaultId, item.id)).toMatchObject({ id: item.id })
      await expect(reader.createItem(vaultId, buildLogin('Mail'))).rejects.toEqual(expected)
      await expect(reader.deleteItemById(vaultId, item.id)).rejects.toEqual(expected)
      expect(await reader.listItems(vaultId)).toHaveLength(1)
    }))

  it('listVaults and getVaultByTitle reject with 401 for an invalid token', () =>
    withClient(async ({ clientOf }) => {
      const expected = { status: 401, message: 'Invalid bearer token' }
      await expect(clientOf('unknown').listVaults()).rejects.toEqual(expected)
      await expect(clientOf('unknown').getVaultByTitle('Test')).rejects.toEqual(expected)
    }))

  it('rejects with 404 and names the missing vault or item', () =>
    withClient(async ({ client, vaultId }) => {
      const noItem = { status: 404, message: `item ${otherId} not found` }
      await expect(client.getItemById(vaultId, otherId)).rejects.toEqual(noItem)
      await expect(client.deleteItem(vaultId, otherId)).rejects.toEqual(noItem)
      await expect(client.listFiles(vaultId, otherId)).rejects.toEqual(noItem)
      const missing = Object.assign(buildLogin('Mail'), { id: otherId })
      await expect(client.updateItem(vaultId, missing)).rejects.toEqual(noItem)
      const noVault = { status: 404, message: `vault ${otherId} not found` }
      await expect(client.listItems(otherId)).rejects.toEqual(noVault)
      await expect(client.createItem(otherId, buildLogin('Mail'))).rejects.toEqual(noVault)
    }))

  it('rejects with 400 for a name instead of an id', () =>
    withClient(async ({ client, vaultId }) => {
      await expect(client.getVaultById('Private')).rejects.toEqual({
        status: 400,
        message: 'Invalid Vault UUID',
      })
      await expect(client.getItemById(vaultId, 'My Login')).rejects.toEqual({
        status: 400,
        message: 'Invalid Item UUID',
      })
    }))

  it('rejects with the path of an invalid attribute and never its value', () =>
    withClient(async ({ client, vaultId }) => {
      const item = buildLogin('Mail')
      item.fields = [{ id: 'date', type: 'DATE' as never, value: 'SECRET' }]
      const error: unknown = await client
        .createItem(vaultId, item)
        .catch((reason: unknown) => reason)
      expect(error).toEqual({ status: 400, message: expect.stringContaining('fields/0/value') })
      expect(JSON.stringify(error)).not.toContain('SECRET')
    }))

  it('rejects invalid arguments of the client without a request', () =>
    withClient(async ({ client, vaultId, item, requests }) => {
      await expect(client.getFileById(vaultId, item.id, '')).rejects.toThrow('No fileId provided')
      await expect(client.updateItem(vaultId, buildLogin('Mail'))).rejects.toThrow(
        'Item ID must be',
      )
      await expect(client.getItem(vaultId, '')).rejects.toThrow('item name or its ID')
      expect(requests).toEqual([])
    }))
})
