/** A store with everything that an export contains. */

import { createCaller, createVaultService } from 'cofferkit'
import { openSqliteStore } from 'cofferkit/sqlite'

const caller = createCaller({ id: 'tester', vaults: '*' })
const largeBytes = Uint8Array.from({ length: 2_000_003 }, (_, index) => (index * 31) % 251)

/** Fills a store with two vaults, an archived item, a large and an empty file. */
export async function fill(path: string): Promise<void> {
  const store = await openSqliteStore(path)
  const service = createVaultService({ store })
  const vaultId = 'team'.padEnd(26, 't')
  await service.createVault(caller, { vaultId, name: 'Team', description: 'Ours' })
  // The id of this one is made by the vault.
  await service.createVault(caller, { name: 'Empty' })
  const { id: itemId } = await service.createItem(caller, {
    vaultId,
    item: {
      category: 'LOGIN',
      title: 'Line\u2028break "ü" 🔑',
      tags: ['a'],
      sections: [{ id: 'more', label: 'More' }],
      fields: [
        { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', value: 's3cret' },
        { id: 'notes', purpose: 'NOTES' },
      ],
    },
  })
  const ref = { vaultId, itemId }
  await service.attachFile(caller, { ...ref, name: 'l', content: largeBytes, sectionId: 'more' })
  await service.attachFile(caller, { ...ref, name: 'e', content: new Uint8Array() })
  await service.createItem(caller, { vaultId, item: { category: 'SECURE_NOTE', title: 'Note' } })
  const item = { category: 'SECURE_NOTE', title: 'Old' } as const
  const archived = await service.createItem(caller, { vaultId, item })
  await service.setItemState(caller, { vaultId, itemId: archived.id, state: 'ARCHIVED' })
  await store.close()
}

/** Everything in a store that an export keeps, in the order of titles. */
export async function contentsOf(path: string): Promise<unknown> {
  const store = await openSqliteStore(path)
  const service = createVaultService({ store })
  const contents: unknown[] = []
  const vaults = [...(await service.listVaults(caller))]
  vaults.sort((left, right) => (left.name < right.name ? -1 : 1))
  for (const { id: vaultId, name, description } of vaults) {
    contents.push({ vaultId, name, description })
    const items: [string, unknown][] = []
    for (const { id: itemId } of await service.listItems(caller, { vaultId })) {
      const item = await service.getItem(caller, { vaultId, itemId })
      const { title, category, tags, sections, fields, state, files } = item
      const read = files.map(async ({ id: fileId, name, section }) => {
        const { content } = await service.readFileContent(caller, { vaultId, itemId, fileId })
        const bytes = Buffer.from(await new Response(content).arrayBuffer())
        return { name, section, bytes: bytes.toString('base64') }
      })
      const attributes = { category, tags, sections, fields, state }
      items.push([String(title), { ...attributes, files: await Promise.all(read) }])
    }
    contents.push(items.sort(([left], [right]) => (left < right ? -1 : 1)))
  }
  await store.close()
  return contents
}
