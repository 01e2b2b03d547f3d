import { describe, expect, it } from 'vitest'
import { loginOf, withClient } from '../support/http/published-client.js'

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
        if (decoy !== title) await client.createItem(vaultId, loginOf(decoy))
      }
      const { id } = await client.createItem(vaultId, loginOf(title))
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
      await client.createItem(vaultId, loginOf(title))
      await client.createItem(vaultId, loginOf(other))
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
      await client.createItem(vaultId, loginOf(title))
      await client.createItem(vaultId, loginOf(other))
      expect(await client.getItemByTitle(vaultId, title)).toHaveProperty('title', other)
      await client.deleteItemByTitle(vaultId, title)
      const left = (await client.listItems(vaultId)).map((item) => item.title)
      expect(left).toContain(title)
      expect(left).not.toContain(other)
    }),
  )
})
