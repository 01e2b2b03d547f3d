import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createVaultService, StorageError, type VaultStore } from '../../src/index.js'
import {
  createFaultyStore,
  createSeededRandomBytes,
  createTestVault,
  type Fault,
  type TestVault,
} from '../../src/testing.js'
import { filePlace } from '../support/items/refs.js'
import { nowhere, type VaultCall, vaultCalls } from '../support/service/vault-calls.js'
import { recordingStore, recordsOf } from '../support/stores/stores.js'

const secret = 'SECRET-of-the-driver'
const driverError = Object.assign(new Error(`row (${secret})`), {
  name: 'DatabaseError',
  code: '57P01',
  detail: secret,
})
const createVault: VaultCall = {
  name: 'createVault',
  needs: ['write'],
  names: 'vault',
  run: (service, caller) => service.createVault(caller, { name: 'New', vaultId: nowhere.vaultId }),
}
/** All but `deleteVault`, which removes bit by bit; its own test says how it fails. */
const inOneStep = vaultCalls.filter(({ name }) => name !== 'deleteVault')
const faults = ['fail-before', 'fail-after'] as const

describe('a store that fails', () => {
  it.each([createVault, ...inOneStep])(
    'in any call of $name: the answer is a StorageError without secrets, and all is old or all is new',
    async (call) => {
      const old = await recordsAfter(call, 'not run')
      const { calls, records } = await recordsAfter(call, 'run')
      expect(calls.length).toBeGreaterThan(0)
      for (const [index, name] of calls.entries()) {
        for (const fault of faults) {
          const vault = await createTestVault()
          const service = serviceOn(vault, failingAt(vault.store, index, fault))
          const outcome: unknown = await call
            .run(service, vault.caller, filePlace(vault))
            .catch((error: unknown) => error)
          const now = await recordsOf(vault.store, vault.vaultId)
          if (outcome instanceof Error) expectClean(outcome)
          else expect([call.name, name, now]).toEqual([...tidying(call.name, name), records])
          expect([old.records, records]).toContainEqual(now)
          await expectReadable(vault)
        }
      }
    },
  )

  it.each(faults)(
    'when deleteItem removes a content, %s it is removed: the item is gone all the same',
    async (fault) => {
      const vault = await createTestVault()
      const store = createFaultyStore(vault.store, (call) =>
        call.store === 'blobs' ? fault : undefined,
      )
      const { vaultId, item } = vault
      const deletion = serviceOn(vault, store).deleteItem(vault.caller, {
        vaultId,
        itemId: item.id,
      })
      await expect(deletion).resolves.toBeUndefined()
      expect(await vault.service.listItems(vault.caller, { vaultId })).toEqual([])
    },
  )

  it('answers again as soon as the store does', async () => {
    const vault = await createTestVault()
    let broken = true
    const store = createFaultyStore(
      vault.store,
      () => (broken ? 'fail-before' : undefined),
      driverError,
    )
    const service = serviceOn(vault, store)
    const ref = { vaultId: vault.vaultId, itemId: vault.item.id }
    await expect(service.getItem(vault.caller, ref)).rejects.toBeInstanceOf(StorageError)
    broken = false
    expect(await service.getItem(vault.caller, ref)).toStrictEqual(vault.item)
  })
})

/** The operation and the call, if that call only removes what nobody needs any more: it may fail unnoticed. */
function tidying(operation: string, call: string): readonly string[] {
  const calls: Record<string, readonly string[]> = {
    attachFile: ['records.delete'],
    deleteItem: ['records.list', 'records.delete', 'blobs.delete'],
    removeFile: ['records.delete', 'blobs.delete'],
    collectGarbage: ['records.delete'],
  }
  return calls[operation]?.includes(call) ? [operation, call] : []
}

/** The records of a test vault, and the calls that the operation makes to a store that works. */
async function recordsAfter(
  { run }: VaultCall,
  when: 'run' | 'not run',
): Promise<{ calls: string[]; records: string[] }> {
  const vault = await createTestVault()
  const store = recordingStore(vault.store)
  if (when === 'run') await run(serviceOn(vault, store), vault.caller, filePlace(vault))
  return { calls: [...store.calls], records: await recordsOf(vault.store, vault.vaultId) }
}

/** A service whose ids and times are the same in every run. */
function serviceOn({ clock }: TestVault, store: VaultStore): ReturnType<typeof createVaultService> {
  return createVaultService({ store, now: clock, randomBytes: createSeededRandomBytes(9) })
}

function failingAt(store: VaultStore, index: number, fault: Fault): VaultStore {
  return createFaultyStore(store, (call) => (call.index === index ? fault : undefined), driverError)
}

/** The error names the driver's class and code for the operator, and nobody reads more of it. */
function expectClean(outcome: unknown): void {
  expect(outcome).toBeInstanceOf(StorageError)
  expect(outcome).toMatchObject({
    code: 'STORAGE_FAILED',
    status: 500,
    message: 'the store failed',
  })
  expect(outcome).toHaveProperty('cause.message', 'DatabaseError 57P01')
  const everything = inspect(outcome, { depth: 9, showHidden: true })
  for (const word of [secret, 'correct horse', '1234', 'remember the milk']) {
    expect(everything).not.toContain(word)
  }
}

/** Whatever is listed can be read, with every file that it names. */
async function expectReadable({ service, caller, vaultId }: TestVault): Promise<void> {
  for (const { id: itemId } of await service.listItems(caller, { vaultId })) {
    const { files } = await service.getItem(caller, { vaultId, itemId })
    for (const { id: fileId, size } of files) {
      const { content } = await service.readFileContent(caller, { vaultId, itemId, fileId })
      expect((await new Response(content).bytes()).length).toBe(size)
    }
  }
}
