import { describe, expect, it } from 'vitest'
import {
  type Caller,
  createCaller,
  createVaultService,
  type Permission,
} from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import type { CallRef } from '../../support/service/operation-examples.js'
import { forbidden } from '../../support/service/rejections.js'
import { missingRef, type VaultCall, vaultCalls } from '../../support/service/vault-calls.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const callsRequiring = (permissions: string): readonly VaultCall[] =>
  vaultCalls.filter((call) => call.needs.join() === permissions)

describe('Permission', () => {
  describe('required permissions', () => {
    it.each(callsRequiring('read'))('$name requires read only', async ({ run }) => {
      await expect(statusByPermission(run)).resolves.toEqual({
        read: 200,
        write: 403,
        'read-write': 200,
      })
    })

    it.each(callsRequiring('write'))('$name requires write only', async ({ run }) => {
      await expect(statusByPermission(run)).resolves.toEqual({
        read: 403,
        write: 200,
        'read-write': 200,
      })
    })

    it.each(callsRequiring('read,write'))('$name requires read and write', async ({ run }) => {
      await expect(statusByPermission(run)).resolves.toEqual({
        read: 403,
        write: 403,
        'read-write': 200,
      })
    })

    it.each(callsRequiring('read'))(
      '$name reports what is missing for reading',
      async ({ name, run }) => {
        const { error, vaultId } = await errorFor('write', run)
        // The permission `use` is enough to use a field.
        const purpose = name === 'useField' ? 'using' : 'reading'
        expect(error).toMatchObject(forbidden(vaultId, purpose))
      },
    )

    it.each(callsRequiring('write'))('$name reports that writing is missing', async ({ run }) => {
      const { error, vaultId } = await errorFor('read', run)
      expect(error).toMatchObject(forbidden(vaultId, 'writing'))
    })

    it.each(callsRequiring('read,write'))(
      '$name reports which of the two permissions is missing',
      async ({ run }) => {
        const [reader, writer] = [await errorFor('read', run), await errorFor('write', run)]
        expect(reader.error).toMatchObject(forbidden(reader.vaultId, 'writing'))
        expect(writer.error).toMatchObject(forbidden(writer.vaultId, 'reading'))
      },
    )

    it.each(vaultCalls)(
      '$name checks its required permissions and no others',
      async ({ needs, run }) => {
        const { service, vaultId, item, smallFile } = await createTestVault()
        const checks: string[] = []
        const caller = {
          id: 'alice',
          can: (permission: Permission, vault: string) => checks.push(`${permission} ${vault}`) > 0,
        }
        await run(service, caller, { vaultId, itemId: item.id, fileId: smallFile.id })
        expect(checks).toEqual(needs.map((permission) => `${permission} ${vaultId}`))
      },
    )

    it.each(vaultCalls)(
      '$name tells `can` the item when it refers to one item',
      async ({ name, names, needs, run }) => {
        const { service, vaultId, item, smallFile } = await createTestVault()
        const checks: unknown[] = []
        const caller = { id: 'alice', can: (...check: unknown[]) => checks.push(check) > 0 }
        await run(service, caller, { vaultId, itemId: item.id, fileId: smallFile.id })
        const itemId = names === 'vault' ? undefined : item.id
        expect(checks).toEqual(needs.map((permission) => [permission, vaultId, name, itemId]))
      },
    )

    it('a rule about items can grant one item of a vault', async () => {
      const { service, caller, vaultId, item } = await createTestVault()
      const other = await service.createItem(caller, { vaultId, item: { category: 'LOGIN' } })
      const rule: Caller['can'] = (_permission, _vaultId, _operation, itemId) => itemId === item.id
      const one = service.as({ id: 'one', can: rule })
      await expect(one.getItem({ vaultId, itemId: item.id })).resolves.toEqual(item)
      for (const call of [
        one.getItem({ vaultId, itemId: other.id }),
        one.getItems({ vaultId, itemIds: [item.id] }),
        one.listItems({ vaultId }),
      ])
        await expect(call).rejects.toMatchObject(forbidden(vaultId))
    })

    it('patchItem rejects an empty patch when the caller can only write', async () => {
      const { service, vaultId, item } = await createTestVault()
      const writer = createCaller({ id: 'writer', vaults: { [vaultId]: 'write' } })
      await expect(
        service.patchItem(writer, { vaultId, itemId: item.id, patch: [] }),
      ).rejects.toMatchObject(forbidden(vaultId, 'reading'))
    })

    it('createVault requires write on the new id', async () => {
      const { service } = await createTestVault()
      const { vaultId } = missingRef
      const create = (permission: 'read' | 'write') =>
        service.createVault(createCaller({ id: 'creator', vaults: { [vaultId]: permission } }), {
          vaultId,
          name: 'Mine',
        })
      await expect(create('read')).rejects.toMatchObject(forbidden(vaultId, 'writing'))
      await expect(create('write')).resolves.toMatchObject({ id: vaultId })
    })

    it('createVault requires write on every vault when no id is given', async () => {
      const { service, vaultId } = await createTestVault()
      await expect(
        service.createVault(createCaller({ id: 'creator', vaults: { [vaultId]: 'read-write' } }), {
          name: 'Mine',
        }),
      ).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 })
    })
  })

  describe('a caller without permission', () => {
    it.each(vaultCalls)(
      '$name rejects in the same way whether or not the vault exists, without a store call',
      async ({ run }) => {
        const vault = await createTestVault()
        const store = createRecordingStore(vault.store)
        const service = createVaultService({ store })
        const otherVault = createCaller({
          id: 'otherVault',
          vaults: { ['z'.repeat(26)]: 'read-write' },
        })
        const serializedError = async (vaultId: string): Promise<string> => {
          const ref = { vaultId, itemId: vault.item.id, fileId: vault.smallFile.id }
          const error: unknown = await run(service, otherVault, ref).catch(
            (reason: unknown) => reason,
          )
          return JSON.stringify(error).replaceAll(vaultId, '{id}')
        }
        expect(await serializedError(vault.vaultId)).toBe(await serializedError(missingRef.vaultId))
        expect(await serializedError(vault.vaultId)).toBe(
          '{"status":403,"message":"vault {id} is not in scope"}',
        )
        expect(store.calls).toEqual([])
      },
    )

    it('getVault waits for a `can` that resolves later', async () => {
      const { service, vaultId } = await createTestVault()
      const slow = (isAllowed: boolean) => ({
        id: 'slow',
        can: () => new Promise<boolean>((resolve) => setTimeout(() => resolve(isAllowed), 1)),
      })
      await expect(service.getVault(slow(true), { vaultId })).resolves.toMatchObject({
        id: vaultId,
      })
      await expect(service.getVault(slow(false), { vaultId })).rejects.toMatchObject(
        forbidden(vaultId),
      )
    })
  })

  describe('refs to another vault or item', () => {
    it.each(vaultCalls.filter(({ names }) => names !== 'vault'))(
      '$name rejects an item of another vault as not found',
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
      '$name rejects a file of another item as not found',
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
})

/** The error that the operation rejects with when the caller has only this permission. */
async function errorFor(
  permission: 'read' | 'write',
  run: VaultCall['run'],
): Promise<{ readonly error: unknown; readonly vaultId: string }> {
  const { service, vaultId, item, smallFile } = await createTestVault()
  const ref: CallRef = { vaultId, itemId: item.id, fileId: smallFile.id }
  const error: unknown = await run(
    service,
    createCaller({ id: permission, vaults: { [vaultId]: permission } }),
    ref,
  ).catch((reason: unknown) => reason)
  return { error, vaultId }
}

/** The status that each permission leads to; 200 when the operation resolves. */
async function statusByPermission(run: VaultCall['run']): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  for (const permission of ['read', 'write', 'read-write'] as const) {
    const { service, vaultId, item, smallFile } = await createTestVault()
    const ref: CallRef = { vaultId, itemId: item.id, fileId: smallFile.id }
    statuses[permission] = await run(
      service,
      createCaller({ id: permission, vaults: { [vaultId]: permission } }),
      ref,
    ).then(
      () => 200,
      (error: { status: number }) => error.status,
    )
  }
  return statuses
}
