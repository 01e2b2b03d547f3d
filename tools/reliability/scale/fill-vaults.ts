/** Fills vaults through a service, and counts what is missing afterwards. */

import { createCaller, type VaultService } from 'cofferkit'

/** The titles of the items of each vault. Each item has a file whose content is the title. */
export type VaultTitles = ReadonlyMap<string, readonly string[]>

const caller = createCaller('filler', '*')
const concurrency = 16

/** Creates vaults with `items` items each. Every item is created, patched and given a file. */
export async function fillVaults(
  { createVault, createItem, patchItem, attachFile }: VaultService,
  vaults: number,
  items: number,
): Promise<VaultTitles> {
  const titlesByVault = new Map<string, string[]>()
  const fillOne = async (number: number): Promise<void> => {
    const { id: vaultId } = await createVault(caller, { name: `Vault ${number}` })
    const titles = Array.from({ length: items }, (_, index) => `Item ${number}.${index}`)
    titlesByVault.set(vaultId, titles)
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
  const workers = Array.from({ length: concurrency }, async () => {
    for (const number of numbers) await fillOne(number)
  })
  await Promise.all(workers)
  return titlesByVault
}

/** Counts the items that are not listed, or that are incomplete, their file included. */
export async function countMissing(
  service: VaultService,
  titlesByVault: VaultTitles,
): Promise<number> {
  let missing = 0
  for (const [vaultId, titles] of titlesByVault) {
    const listed = await service.listItems(caller, { vaultId }).catch(() => [])
    for (const title of titles) {
      const itemId = listed.find((item) => item.title === title)?.id
      const isFound = itemId !== undefined && (await isComplete(service, vaultId, itemId, title))
      if (!isFound) missing++
    }
  }
  return missing
}

async function isComplete(
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
