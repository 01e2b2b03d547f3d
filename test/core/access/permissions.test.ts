import { describe, expect, it } from 'vitest'
import { createCaller, createVaultService, type Permission } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { forbidden } from '../../support/service/rejections.js'
import {
  type CallPlace,
  nowhere,
  type VaultCall,
  vaultCalls,
} from '../../support/service/vault-calls.js'
import { recordingStore } from '../../support/stores/stores.js'

const needing = (needs: string): readonly VaultCall[] =>
  vaultCalls.filter((call) => call.needs.join() === needs)

describe('the rights that an operation needs', () => {
  it.each(needing('read'))('$name: read is enough, write is not', async ({ run }) => {
    await expect(outcomes(run)).resolves.toEqual({ read: 200, write: 403, 'read-write': 200 })
  })

  it.each(needing('write'))('$name: write is enough, read is not', async ({ run }) => {
    await expect(outcomes(run)).resolves.toEqual({ read: 403, write: 200, 'read-write': 200 })
  })

  it.each(needing('read,write'))('$name: it takes both', async ({ run }) => {
    await expect(outcomes(run)).resolves.toEqual({ read: 403, write: 403, 'read-write': 200 })
  })

  it.each(needing('read'))('$name: says that reading is missing', async ({ run }) => {
    const { error, vaultId } = await refusedTo('write', run)
    expect(error).toMatchObject(forbidden(vaultId, 'reading'))
  })

  it.each(needing('write'))('$name: says that writing is missing', async ({ run }) => {
    const { error, vaultId } = await refusedTo('read', run)
    expect(error).toMatchObject(forbidden(vaultId, 'writing'))
  })

  it.each(needing('read,write'))('$name: says which of the two is missing', async ({ run }) => {
    const [reader, writer] = [await refusedTo('read', run), await refusedTo('write', run)]
    expect(reader.error).toMatchObject(forbidden(reader.vaultId, 'writing'))
    expect(writer.error).toMatchObject(forbidden(writer.vaultId, 'reading'))
  })

  it.each(vaultCalls)('$name: asks the caller for these and no others', async ({ needs, run }) => {
    const { service, vaultId, item, smallFile } = await createTestVault()
    const asked: string[] = []
    const caller = {
      id: 'asked',
      can: (permission: Permission, vault: string) => asked.push(`${permission} ${vault}`) > 0,
    }
    await run(service, caller, { vaultId, itemId: item.id, fileId: smallFile.id })
    expect(asked).toEqual(needs.map((permission) => `${permission} ${vaultId}`))
  })

  it('patchItem: a write-only caller cannot read an item through an empty patch', async () => {
    const { service, vaultId, item } = await createTestVault()
    const writer = createCaller('writer', { [vaultId]: 'write' })
    await expect(
      service.patchItem(writer, { vaultId, itemId: item.id, patch: [] }),
    ).rejects.toMatchObject(forbidden(vaultId, 'reading'))
  })

  it('createVault: write on the new id is enough', async () => {
    const { service } = await createTestVault()
    const { vaultId } = nowhere
    const create = (right: 'read' | 'write') =>
      service.createVault(createCaller('maker', { [vaultId]: right }), { vaultId, name: 'Mine' })
    await expect(create('read')).rejects.toMatchObject(forbidden(vaultId, 'writing'))
    await expect(create('write')).resolves.toMatchObject({ id: vaultId })
  })

  it('createVault: without an id it takes write on every vault', async () => {
    const { service, vaultId } = await createTestVault()
    await expect(
      service.createVault(createCaller('maker', { [vaultId]: 'read-write' }), { name: 'Mine' }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 })
  })
})

describe('the refusal of a caller without the right', () => {
  it.each(vaultCalls)(
    '$name: is the same whether or not the vault is there, and asks no storage',
    async ({ run }) => {
      const vault = await createTestVault()
      const store = recordingStore(vault.store)
      const service = createVaultService({ store })
      const otherVault = createCaller('otherVault', { ['z'.repeat(26)]: 'read-write' })
      const refusal = async (vaultId: string): Promise<string> => {
        const ref = { vaultId, itemId: vault.item.id, fileId: vault.smallFile.id }
        const error: unknown = await run(service, otherVault, ref).catch(
          (reason: unknown) => reason,
        )
        return JSON.stringify(error).replaceAll(vaultId, '{id}')
      }
      expect(await refusal(vault.vaultId)).toBe(await refusal(nowhere.vaultId))
      expect(await refusal(vault.vaultId)).toBe(
        '{"status":403,"message":"vault {id} is not in scope"}',
      )
      expect(store.calls).toEqual([])
    },
  )

  it('waits for a caller that has to look its rights up', async () => {
    const { service, vaultId } = await createTestVault()
    const slow = (answer: boolean) => ({
      id: 'slow',
      can: () => new Promise<boolean>((resolve) => setTimeout(() => resolve(answer), 1)),
    })
    await expect(service.getVault(slow(true), { vaultId })).resolves.toMatchObject({ id: vaultId })
    await expect(service.getVault(slow(false), { vaultId })).rejects.toMatchObject(
      forbidden(vaultId),
    )
  })
})

describe('what belongs to another vault', () => {
  it.each(vaultCalls.filter(({ names }) => names !== 'vault'))(
    '$name: an item is not found through a vault that it does not lie in',
    async ({ name, run }) => {
      const { service, caller, item, smallFile } = await createTestVault()
      const other = await service.createVault(caller, { name: 'Other' })
      const ref = { vaultId: other.id, itemId: item.id, fileId: smallFile.id }
      const missing = name === 'getFileDetails' ? `file ${smallFile.id}` : `item ${item.id}`
      await expect(run(service, caller, ref)).rejects.toMatchObject({
        status: 404,
        message: `${missing} not found`,
      })
    },
  )

  it.each(vaultCalls.filter(({ names }) => names === 'file'))(
    '$name: a file is not found through an item that it is not attached to',
    async ({ run }) => {
      const { service, caller, vaultId, smallFile } = await createTestVault()
      const other = await service.createItem(caller, {
        vaultId,
        item: { category: 'LOGIN', vault: { id: vaultId } },
      })
      const ref = { vaultId, itemId: other.id, fileId: smallFile.id }
      await expect(run(service, caller, ref)).rejects.toMatchObject({
        status: 404,
        message: `file ${smallFile.id} not found`,
      })
    },
  )
})

/** What the operation rejects with for a caller that has only this right. */
async function refusedTo(
  right: 'read' | 'write',
  run: VaultCall['run'],
): Promise<{ readonly error: unknown; readonly vaultId: string }> {
  const { service, vaultId, item, smallFile } = await createTestVault()
  const ref: CallPlace = { vaultId, itemId: item.id, fileId: smallFile.id }
  const error: unknown = await run(service, createCaller(right, { [vaultId]: right }), ref).catch(
    (reason: unknown) => reason,
  )
  return { error, vaultId }
}

/** The status that each right leads to, 200 for an answer. */
async function outcomes(run: VaultCall['run']): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  for (const right of ['read', 'write', 'read-write'] as const) {
    const { service, vaultId, item, smallFile } = await createTestVault()
    const ref: CallPlace = { vaultId, itemId: item.id, fileId: smallFile.id }
    statuses[right] = await run(service, createCaller(right, { [vaultId]: right }), ref).then(
      () => 200,
      (error: { status: number }) => error.status,
    )
  }
  return statuses
}
