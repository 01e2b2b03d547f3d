import { describe, expect, it } from 'vitest'
import { buildLogin, withClient } from '../support/http/published-client.js'

const findable = [
  'say "hi"',
  '"',
  '""',
  '" and "',
  'a" and b',
  "it's",
  'C++',
  '1 + 1',
  '100%',
  '100% sure',
  '%zz',
  'C:\\dir\\',
  '\\\\server\\share',
  'Müllers Bäckerei',
  'Über "Größe" (neu)',
  '日本語',
  '🔑 key',
  ' leading and trailing ',
  '<b>(x)</b>',
  '?q=1/2;3,4',
  'title eq "x"',
  '',
]

describe('OPConnect: titles', () => {
  it.each(findable)('finds and deletes exactly the title %j', (title) =>
    withClient(async ({ client, service, caller, vaultId }) => {
      for (const decoy of [`${title} `, `x${title}`, title.replace('+', ' '), 'Decoy']) {
        if (decoy !== title) await client.createItem(vaultId, buildLogin(decoy))
      }
      const { id } = await client.createItem(vaultId, buildLogin(title))
      expect(await client.getItemByTitle(vaultId, title)).toMatchObject({ id, title })
      const containing = await client.listItemsByTitleContains(vaultId, title)
      expect(containing.map((item) => item.id)).toContain(id)
      await client.deleteItemByTitle(vaultId, title)
      expect(await client.listItemsByTitle(vaultId, title)).toEqual([])
      if (title === '') return
      const { id: vault } = await service.createVault(caller, { name: title })
      expect(await client.getVaultByTitle(title)).toMatchObject({ id: vault, name: title })
    }),
  )

  // The client does not escape titles: `&` and `#` end the filter, and percent signs and quotes are
  // sent unescaped.
  it.each([
    ['R&D', 'R'],
    ['A&filter=x', 'A'],
    ['TV 12"&up', 'TV 12'],
    ['a"&b=c', 'a'],
    ['issue #4', 'issue '],
    ['100%FF', '100\ufffd'],
  ])('rejects the title %j instead of finding %j', (title, other) =>
    withClient(async ({ client, vaultId }) => {
      await client.createItem(vaultId, buildLogin(title))
      await client.createItem(vaultId, buildLogin(other))
      await expect(client.getItemByTitle(vaultId, title)).rejects.toHaveProperty('status', 400)
      await expect(client.deleteItemByTitle(vaultId, title)).rejects.toHaveProperty('status', 400)
      expect(await client.listItems(vaultId)).toHaveLength(3)
    }),
  )

  it.each([
    ['a"#1', 'a'],
    ['say "hi" #2', 'say "hi'],
    ['50%20off', '50 off'],
    ['x" or title eq "y', 'y'],
    ['" or title eq "', ''],
    ['line\nbreak', 'linebreak'],
  ])('finds and deletes for the title %j the item %j', (title, other) =>
    withClient(async ({ client, vaultId }) => {
      await client.createItem(vaultId, buildLogin(title))
      await client.createItem(vaultId, buildLogin(other))
      expect(await client.getItemByTitle(vaultId, title)).toHaveProperty('title', other)
      await client.deleteItemByTitle(vaultId, title)
      const left = (await client.listItems(vaultId)).map((item) => item.title)
      expect(left).toContain(title)
      expect(left).not.toContain(other)
    }),
  )

  it.each(['abcdefghijklmnopqrstuvwxyz', 'customerdatabase2026backup'])(
    'takes the title %j for an id, and finds it by its id and by its title',
    (title) =>
      withClient(async ({ client, service, caller, vaultId }) => {
        const { id = '' } = await client.createItem(vaultId, buildLogin(title))
        const { id: vault } = await service.createVault(caller, { name: title })
        const unknownItem = { status: 404, message: `item ${title} not found` }
        const unknownVault = { status: 404, message: `vault ${title} not found` }
        await expect(client.getItem(vaultId, title)).rejects.toEqual(unknownItem)
        await expect(client.deleteItem(vaultId, title)).rejects.toEqual(unknownItem)
        await expect(client.listFiles(vaultId, title)).rejects.toEqual(unknownItem)
        await expect(client.getVault(title)).rejects.toEqual(unknownVault)
        expect(await client.getVaultById(vault)).toMatchObject({ name: title })
        expect(await client.getVaultByTitle(title)).toMatchObject({ id: vault })
        expect(await client.getItemById(vaultId, id)).toMatchObject({ title })
        expect(await client.getItemByTitle(vaultId, title)).toMatchObject({ id })
        await client.deleteItemByTitle(vaultId, title)
        await expect(client.getItemById(vaultId, id)).rejects.toHaveProperty('status', 404)
      }),
  )

  it.each([
    'abcdefghijklmnopqrstuvwxy',
    'abcdefghijklmnopqrstuvwxyza',
    'Abcdefghijklmnopqrstuvwxyz',
    'abcdefghijklm-opqrstuvwxyz',
  ])('finds and deletes the title %j where a method takes a title or an id', (title) =>
    withClient(async ({ client, service, caller, vaultId }) => {
      const { id } = await client.createItem(vaultId, buildLogin(title))
      const { id: vault } = await service.createVault(caller, { name: title })
      expect(await client.getVault(title)).toMatchObject({ id: vault })
      expect(await client.getItem(vaultId, title)).toMatchObject({ id })
      await client.deleteItem(vaultId, title)
      expect(await client.listItemsByTitle(vaultId, title)).toEqual([])
    }),
  )
})
