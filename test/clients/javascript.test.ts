import type { Stream } from 'node:stream'
import { OPConnect } from '@1password/connect'
import { describe, expect, it } from 'vitest'
import { createSeededRandomBytes } from '../../src/testing.js'
import {
  buildLogin,
  calledMethods,
  readStream,
  withClient,
} from '../support/http/published-client.js'

const unknownId = 'o'.repeat(26)

describe('OPConnect: vaults', () => {
  it('lists the vaults that the caller can read', () =>
    withClient(async ({ client, service, caller, vaultId, clock }) => {
      const { id } = await service.createVault(caller, { name: 'Other', description: 'The other' })
      const vaults = await client.listVaults()
      expect(vaults).toHaveLength(2)
      expect(vaults).toContainEqual({
        id: vaultId,
        name: 'Test',
        type: 'USER_CREATED',
        attributeVersion: 1,
        createdAt: clock(),
        updatedAt: clock(),
      })
      expect(vaults.find((vault) => vault.id === id)).toMatchObject({ description: 'The other' })
    }))

  it('does not list vaults that the caller cannot read', () =>
    withClient(async ({ clientOf, service, caller, vaultId }) => {
      await service.createVault(caller, { name: 'Other' })
      expect(await clientOf('reader').listVaults()).toMatchObject([{ id: vaultId }])
      expect(await clientOf('writer').listVaults()).toEqual([])
    }))

  it('finds a vault by id and by title', () =>
    withClient(async ({ client, vaultId }) => {
      const found = [
        await client.getVaultById(vaultId),
        await client.getVault(vaultId),
        await client.getVaultByTitle('Test'),
        await client.getVault('Test'),
        ...(await client.listVaultsByTitle('Test')),
      ]
      expect(found.map(({ id }) => id)).toEqual(Array(5).fill(vaultId))
    }))

  it('returns an empty list or rejects for an unknown title', () =>
    withClient(async ({ client }) => {
      expect(await client.listVaultsByTitle('test')).toEqual([])
      const error = { status: 404, message: 'No Vaults found with title' }
      await expect(client.getVaultByTitle('test')).rejects.toEqual(error)
    }))

  it('rejects when several vaults have the title', () =>
    withClient(async ({ client, service, caller }) => {
      await service.createVault(caller, { name: 'Test' })
      expect(await client.listVaultsByTitle('Test')).toHaveLength(2)
      await expect(client.getVaultByTitle('Test')).rejects.toMatchObject({ status: 400 })
    }))
})

describe('OPConnect: items', () => {
  it('lists items without fields and with Date objects', () =>
    withClient(async ({ client, vaultId, item, clock }) => {
      const [listed, ...others] = await client.listItems(vaultId)
      expect(others).toEqual([])
      expect(listed).toMatchObject({
        id: item.id,
        title: item.title,
        vault: { id: vaultId },
        category: 'LOGIN',
        version: item.version,
        createdAt: clock(),
        updatedAt: clock(),
      })
      expect(listed).not.toHaveProperty('fields')
    }))

  it('finds an item by id and by title with all attributes', () =>
    withClient(async ({ client, vaultId, item }) => {
      const { id, title = '' } = item
      for (const found of [
        await client.getItemById(vaultId, id),
        await client.getItem(vaultId, id),
        await client.getItemByTitle(vaultId, title),
        await client.getItem(vaultId, title),
        ...(await client.listItemsByTitle(vaultId, title)),
      ]) {
        const { createdAt, updatedAt, ...rest } = found
        expect([createdAt?.toISOString(), updatedAt?.toISOString()]).toEqual([
          item.createdAt,
          item.updatedAt,
        ])
        const { createdAt: _created, updatedAt: _updated, ...expected } = item
        expect(rest).toEqual(expected)
      }
    }))

  it('finds items by a part of the title', () =>
    withClient(async ({ client, vaultId }) => {
      for (const title of ['Build server', 'Rebuild', 'Deploy']) {
        await client.createItem(vaultId, buildLogin(title))
      }
      const found = await client.listItemsByTitleContains(vaultId, 'uild')
      expect(found.map(({ title }) => title).sort()).toEqual(['Build server', 'Rebuild'])
      expect(await client.listItemsByTitleContains(vaultId, 'nothing')).toEqual([])
    }))

  it('rejects when no item or several items have the title', () =>
    withClient(async ({ client, vaultId }) => {
      await client.createItem(vaultId, buildLogin('Same'))
      await client.createItem(vaultId, buildLogin('Same'))
      expect(await client.listItemsByTitle(vaultId, 'Same')).toHaveLength(2)
      expect(await client.listItemsByTitle(vaultId, 'same')).toEqual([])
      const several = { status: 400, message: expect.stringMatching(/^Found multiple Items/) }
      await expect(client.getItemByTitle(vaultId, 'Same')).rejects.toEqual(several)
      await expect(client.deleteItemByTitle(vaultId, 'Same')).rejects.toEqual(several)
      expect(await client.listItems(vaultId)).toHaveLength(3)
      const noItem = { status: 404, message: 'No Items found with title' }
      await expect(client.getItem(vaultId, 'same')).rejects.toEqual(noItem)
    }))

  it('deletes an item by id and by title', () =>
    withClient(async ({ client, vaultId, item }) => {
      await client.createItem(vaultId, buildLogin('One'))
      await client.createItem(vaultId, buildLogin('Two'))
      const { id = '' } = await client.createItem(vaultId, buildLogin('Three'))
      expect(await client.deleteItemByTitle(vaultId, 'One')).toBeUndefined()
      expect(await client.deleteItem(vaultId, 'Two')).toBeUndefined()
      expect(await client.deleteItem(vaultId, id)).toBeUndefined()
      expect(await client.listItems(vaultId)).toMatchObject([{ id: item.id }])
      expect(await client.deleteItemById(vaultId, item.id)).toBeUndefined()
      expect(await client.listItems(vaultId)).toEqual([])
    }))

  it('returns the previous version from updateItem and accepts the returned item', () =>
    withClient(async ({ client, vaultId, service, caller }) => {
      const item = await client.createItem(vaultId, buildLogin('First'))
      const { id: itemId = '' } = item
      item.title = 'Second'
      const once = await client.updateItem(vaultId, item)
      expect(once).toMatchObject({ title: 'Second', version: 1 })
      once.title = 'Third'
      const twice = await client.updateItem(vaultId, once)
      expect(twice).toMatchObject({ title: 'Third', version: 2 })
      expect(await service.getItem(caller, { vaultId, itemId })).toMatchObject({
        title: 'Third',
        version: 3,
      })
      expect(await client.getItemById(vaultId, itemId)).toEqual({ ...twice, version: 3 })
    }))

  it('returns the current one-time code', () =>
    withClient(async ({ client, vaultId, item, service, caller, clock }) => {
      const value = `otpauth://totp/Mail:wendy?secret=${rfc6238Secret}&digits=8&issuer=Mail`
      const body = { category: 'LOGIN', title: 'Mail', fields: [{ type: 'OTP', value }] }
      const { id } = await service.createItem(caller, { vaultId, item: body as never })
      clock.advance(new Date('2033-05-18T03:33:20Z').getTime() - clock().getTime())
      expect(await client.getItemOTP(vaultId, 'Mail')).toBe('69279037')
      expect(await client.getItemOTP(vaultId, id)).toBe('69279037')
      clock.advance(30_000)
      expect(await client.getItemOTP(vaultId, id)).not.toBe('69279037')
      await expect(client.getItemOTP(vaultId, item.id)).rejects.toThrow('No OTP found for the Item')
    }))
})

/** Secret of the test vectors of RFC 6238 in base32. Its code at 2,000,000,000 s is 69279037. */
const rfc6238Secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('OPConnect: files', () => {
  it('lists and finds files by titles and ids of the vault and the item', () =>
    withClient(async ({ client, vaultId, item, smallFile, largeFile }) => {
      const { id, title = '' } = item
      for (const [vault, named] of [
        [vaultId, id],
        ['Test', title],
      ] as const) {
        expect(await client.listFiles(vault, named)).toEqual([smallFile, largeFile])
        expect(await client.getFileById(vault, named, smallFile.id)).toEqual(smallFile)
      }
    }))

  it('reads a file as text and as a stream', () =>
    withClient(async ({ client, vaultId, item, smallFile }) => {
      expect(await client.getFileContent(vaultId, item.id, smallFile.id)).toBe('hello')
      expect(await client.getFileContent('Test', item.title ?? '', smallFile.id)).toBe('hello')
      const stream = await client.getFileContentStream(vaultId, item.id, smallFile.id)
      expect((await readStream(stream)).toString()).toBe('hello')
    }))

  it('streams a file of three megabytes unchanged', () =>
    withClient(async ({ client, vaultId, item, service, caller }) => {
      const content = createSeededRandomBytes()(3_000_000)
      const ref = { vaultId, itemId: item.id, name: 'Übersicht "2026".bin' }
      const { id } = await service.attachFile(caller, { ...ref, content })
      const stream = await client.getFileContentStream(vaultId, item.id, id)
      expect((await readStream(stream)).equals(content)).toBe(true)
      expect(await client.getFileById(vaultId, item.id, id)).toMatchObject({
        name: ref.name,
        size: 3_000_000,
      })
    }))

  it('rejects with the error of the service for a missing file', () =>
    withClient(async ({ client, vaultId, item }) => {
      const error = { status: 404, message: `file ${unknownId} not found` }
      await expect(client.getFileById(vaultId, item.id, unknownId)).rejects.toEqual(error)
      const rejected: unknown = await client
        .getFileContent(vaultId, item.id, unknownId)
        .catch((reason: unknown) => reason)
      // The client rejects with the body of a failed download as a stream.
      expect(JSON.parse((await readStream(rejected as Stream)).toString())).toEqual(error)
    }))
})

describe('OPConnect', () => {
  it('is tested with every method', () => {
    const methods = Object.getOwnPropertyNames(OPConnect.prototype)
    expect(methods.filter((name) => name !== 'constructor' && !calledMethods.has(name))).toEqual([])
    expect(methods).toHaveLength(22)
  })
})
