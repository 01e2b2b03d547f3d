import { describe, expect, it } from 'vitest'
import { loginOf, withClient } from '../support/published-client.js'

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

describe('a title, to a user of the published JavaScript client', () => {
  it.each(findable)('such as %j is found to the letter', (title) =>
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

  it.each(['R&D', 'A&filter=x', 'issue #4', 'line\nbreak', '50%20off', '" or title eq "'])(
    'such as %j, which the client does not escape, never finds another item',
    (title) =>
      withClient(async ({ client, vaultId, item }) => {
        await client.createItem(vaultId, loginOf(title))
        const refused = client.getItemByTitle(vaultId, title)
        await expect(refused).rejects.toMatchObject({ status: expect.toSatisfy(isNothingFound) })
        await expect(client.deleteItemByTitle(vaultId, title)).rejects.toHaveProperty('message')
        expect(await client.listItems(vaultId)).toHaveLength(2)
        expect(await client.getItem(vaultId, item.id)).toMatchObject({ id: item.id })
      }),
  )
})

function isNothingFound(status: unknown): boolean {
  return status === 400 || status === 404
}
