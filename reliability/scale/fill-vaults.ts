/** Fills vaults through a service, and finds out what of it can be read back. */

import { createCaller, type VaultService } from 'cofferkit'

/** What was written: vault -> its items, each with a file whose content is the item's title. */
export type Filled = ReadonlyMap<string, readonly string[]>

const caller = createCaller('filler', '*')
const atOnce = 16

/** So many vaults with so many items each; every item is created, patched and given a file. */
export async function fillVaults(
  { createVault, createItem, patchItem, attachFile }: VaultService,
  vaults: number,
  items: number,
): Promise<Filled> {
  const filled = new Map<string, string[]>()
  const fillOne = async (number: number): Promise<void> => {
    const { id: vaultId } = await createVault(caller, { name: `Vault ${number}` })
    const titles = Array.from({ length: items }, (_, index) => `Item ${number}.${index}`)
    filled.set(vaultId, titles)
    for (const title of titles) {
      const item = { category: 'LOGIN' as const, vault: { id: vaultId }, title }
      const { id: itemId } = await createItem(caller, { vaultId, item })
      const patch = [{ op: 'add', path: '/tags/-', value: title }] as const
      await patchItem(caller, { vaultId, itemId, patch })
      const content = new TextEncoder().encode(title)
      await attachFile(caller, { vaultId, itemId, name: 'title.txt', content })
    }
  }
  const numbers = Array.from({ length: vaults }, (_, number) => number).values()
  const workers = Array.from({ length: atOnce }, async () => {
    for (const number of numbers) await fillOne(number)
  })
  await Promise.all(workers)
  return filled
}

/** How many of the items are not listed, or cannot be read whole, with their file. */
export async function countMissing(service: VaultService, filled: Filled): Promise<number> {
  let missing = 0
  for (const [vaultId, titles] of filled) {
    const listed = await service.listItems(caller, { vaultId }).catch(() => [])
    for (const title of titles) {
      const itemId = listed.find((item) => item.title === title)?.id
      const isThere = itemId !== undefined && (await isWhole(service, vaultId, itemId, title))
      if (!isThere) missing++
    }
  }
  return missing
}

async function isWhole(
  service: VaultService,
  vaultId: string,
  itemId: string,
  title: string,
): Promise<boolean> {
  const { tags, files, version } = await service.getItem(caller, { vaultId, itemId })
  const fileId = files[0]?.id ?? ''
  const { content } = await service.readFileContent(caller, { vaultId, itemId, fileId })
  return version === 3 && tags[0] === title && (await new Response(content).text()) === title
}
