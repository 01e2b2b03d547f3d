import { describe, expect, it } from 'vitest'
import { reservedIdMessage } from '../../../src/base/reserved-id.js'
import { createVaultService, type VaultService, type VaultStore } from '../../../src/index.js'
import { interceptStore, type StoreCall } from '../../../src/testing/store-calls.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { noteDraft } from '../../support/drafts.js'
import { invalid } from '../../support/service/rejections.js'

const itemId = 'chosen'.padEnd(26, 'i')
const history = { maxVersions: 9 }
const hourMs = 3_600_000

/** The number of store calls of a deletion; a test below fails if it is greater. */
const deletionCalls = Array.from({ length: 9 }, (_, index) => index)

/** Creates an item with the chosen id, a file and two older versions, which all contain `value`. */
async function save(service: VaultService, { caller, vaultId }: TestVault, value: string) {
  const ref = { vaultId, itemId }
  const fields = [{ id: 'key', type: 'CONCEALED', value }] as const
  await service.createItem(caller, { ...ref, item: noteDraft(vaultId, { fields }) })
  await service.attachFile(caller, { ...ref, name: 'f', content: utf8(value) })
  const patch = [{ op: 'add', path: '/tags/-', value }] as const
  await service.patchItem(caller, { ...ref, patch })
}

/** Returns a service whose store calls `onCall` before each call, with its number. */
function watch(store: VaultStore, onCall: (index: number) => Promise<void>): VaultService {
  let count = 0
  const watched = interceptStore(store, async (_: StoreCall, run) => {
    await onCall(count++)
    return run()
  })
  return createVaultService({ store: watched, history })
}

/**
 * Expects that the new item has exactly its own three versions, with nothing of the old one.
 * @param collected The number of versions that garbage collection has added, each without a change.
 */
async function expectOwnVersions(
  { service, caller, vaultId }: TestVault,
  collected = 0,
): Promise<void> {
  const ref = { vaultId, itemId }
  const { version: last } = await service.getItem(caller, ref)
  const versions = await service.listVersions(caller, ref)
  const first = last - collected - 2
  const own = Array.from({ length: collected + 3 }, (_, index) => first + index)
  expect(versions.map(({ version }) => version).sort()).toEqual(own)
  for (const { version } of versions) {
    const text = JSON.stringify(await service.getVersion(caller, { ...ref, version }))
    expect(text).toContain('"new"')
    expect(text).not.toContain('"old"')
  }
  for (let version = 1; version < first; version++)
    await expect(service.getVersion(caller, { ...ref, version })).rejects.toMatchObject({
      status: 404,
    })
  expect(await service.listFiles(caller, ref)).toHaveLength(1)
}

/** Returns what is stored of the old item. */
async function listRemains({ store, vaultId }: TestVault): Promise<readonly string[]> {
  const versions = await store.records.list(`versions/${vaultId}`, { limit: 100 })
  const items = await store.records.list(`items/${vaultId}`, { limit: 100 })
  return [...versions, ...items]
    .filter(({ body }) => Buffer.from(body).includes('"old"'))
    .map(({ id }) => id)
}

describe('deleteItem', () => {
  it('leaves no id that a new item can be given, when the vault has made the id', async () => {
    const { service, caller, vaultId, item } = await createTestVault({ history })
    await service.deleteItem(caller, { vaultId, itemId: item.id })
    const again = service.createItem(caller, { vaultId, itemId: item.id, item: noteDraft(vaultId) })
    await expect(again).rejects.toMatchObject(invalid(`itemId ${reservedIdMessage}`))
  })

  it.each(deletionCalls)(
    'of a chosen id leaves nothing in a new item when it is killed before its store call %i',
    async (index) => {
      const vault = await createTestVault({ history })
      const { service, caller, vaultId, clock } = vault
      await save(service, vault, 'old')
      const dying = watch(vault.store, async (count) => {
        if (count >= index) throw new Error('killed')
      })
      await dying.deleteItem(caller, { vaultId, itemId }).catch(() => {})
      await service.deleteItem(caller, { vaultId, itemId }).catch(() => {})
      await save(service, vault, 'new')
      await expectOwnVersions(vault)
      const { version } = await service.getItem(caller, { vaultId, itemId })
      clock.advance(2 * hourMs)
      await service.collectGarbage(caller, { vaultId })
      const { version: now } = await service.getItem(caller, { vaultId, itemId })
      await expectOwnVersions(vault, now - version)
      expect(await listRemains(vault)).toEqual([])
    },
  )

  it.each(deletionCalls)(
    'of a chosen id keeps a new item when it is slow from its store call %i on',
    async (index) => {
      const vault = await createTestVault({ history })
      const { service, caller, vaultId } = vault
      await save(service, vault, 'old')
      let calls = 0
      const slow = watch(vault.store, async (count) => {
        calls = count
        if (count !== index) return
        await service.deleteItem(caller, { vaultId, itemId }).catch(() => {})
        await save(service, vault, 'new')
      })
      await slow.deleteItem(caller, { vaultId, itemId }).catch(() => {})
      expect(calls).toBeLessThan(deletionCalls.length * 2)
      const found = await service.getItem(caller, { vaultId, itemId }).catch(() => undefined)
      // Until its write, the slow deletion deletes the new item.
      if (found !== undefined) await expectOwnVersions(vault)
      else expect(await listRemains(vault)).toEqual([])
    },
  )
})
