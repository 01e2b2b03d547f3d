import { describe, expect, it } from 'vitest'
import { createVaultService, type ItemState } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { noteDraft } from '../../support/drafts.js'
import { itemRef } from '../../support/items/refs.js'
import { invalid, notFound } from '../../support/service/rejections.js'
import { vaultCalls } from '../../support/service/vault-calls.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const writes: readonly string[] = ['replaceItem', 'patchItem', 'attachFile', 'removeFile']
const itemCalls = vaultCalls.filter(({ names }) => names !== 'vault')

describe('loadItem of a deleted item', () => {
  it.each(itemCalls.filter(({ name }) => name !== 'setItemState'))(
    '$name throws NotFoundError',
    async ({ name, run }) => {
      const vault = await vaultWith('DELETED')
      const ref = { ...itemRef(vault), fileId: vault.smallFile.id }
      await expect(run(vault.service, vault.caller, ref)).rejects.toMatchObject(
        name === 'getFileDetails'
          ? notFound('file', vault.smallFile.id)
          : notFound('item', vault.item.id),
      )
    },
  )

  it('throws NotFoundError for an empty patch and is not listed', async () => {
    const vault = await vaultWith('DELETED')
    const { service, caller, vaultId } = vault
    await expect(service.patchItem(caller, { ...itemRef(vault), patch: [] })).rejects.toMatchObject(
      notFound('item', vault.item.id),
    )
    const other = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    expect(await service.listItems(caller, { vaultId })).toMatchObject([{ id: other.id }])
  })
})

describe('loadItem of an archived item', () => {
  it('returns and lists the item with its state', async () => {
    const vault = await vaultWith('ARCHIVED')
    const { service, caller, vaultId } = vault
    const { title, fields, files } = vault.item
    expect(await service.getItem(caller, itemRef(vault))).toMatchObject({
      title,
      fields,
      files,
      state: 'ARCHIVED',
    })
    expect(await service.listItems(caller, { vaultId })).toMatchObject([{ state: 'ARCHIVED' }])
  })

  it('returns its files', async () => {
    const vault = await vaultWith('ARCHIVED')
    const file = { ...itemRef(vault), fileId: vault.smallFile.id }
    const details = vault.service.getFileDetails(vault.caller, { ...file, inlineFiles: true })
    expect(await details).toMatchObject({ content: 'aGVsbG8=' })
    const { content } = await vault.service.readFileContent(vault.caller, file)
    expect(await new Response(content).text()).toBe('hello')
  })

  it.each(itemCalls.filter(({ name }) => writes.includes(name)))(
    '$name is rejected and writes nothing',
    async ({ run }) => {
      const vault = await vaultWith('ARCHIVED')
      const store = createRecordingStore(vault.store)
      const ref = { ...itemRef(vault), fileId: vault.smallFile.id }
      await expect(run(createVaultService({ store }), vault.caller, ref)).rejects.toMatchObject(
        invalid('an archived item cannot be changed'),
      )
      expect(store.calls).toEqual(['records.get'])
    },
  )

  it('rejects a change (400) before it checks the version (412)', async () => {
    const vault = await vaultWith('ARCHIVED')
    const item = noteDraft(vault.vaultId)
    await expect(
      vault.service.replaceItem(vault.caller, { ...itemRef(vault), item, ifVersion: 1 }),
    ).rejects.toMatchObject(invalid('an archived item cannot be changed'))
  })

  it('returns the item for an empty patch', async () => {
    const vault = await vaultWith('ARCHIVED')
    expect(
      await vault.service.patchItem(vault.caller, { ...itemRef(vault), patch: [] }),
    ).toMatchObject({ state: 'ARCHIVED' })
  })

  it('can be deleted', async () => {
    const vault = await vaultWith('ARCHIVED')
    await vault.service.deleteItem(vault.caller, itemRef(vault))
    expect(await vault.service.listItems(vault.caller, { vaultId: vault.vaultId })).toEqual([])
  })
})

/** A test vault whose item has this state. */
async function vaultWith(state: ItemState): Promise<TestVault> {
  const vault = await createTestVault()
  await vault.service.setItemState(vault.caller, { ...itemRef(vault), state })
  return vault
}
