import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createVaultService, StorageError, type VaultStore } from '../../src/index.js'
import type { StoreCall } from '../../src/testing/store-calls.js'
import {
  createFaultyStore,
  createSeededRandomBytes,
  createTestVault,
  type Fault,
  type TestVault,
} from '../../src/testing.js'
import { fileRef } from '../support/items/refs.js'
import { missingRef, type VaultCall, vaultCalls } from '../support/service/vault-calls.js'
import { createLookDetector, createRecordingStore, readRecords } from '../support/stores/stores.js'

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
  run: (service, caller) =>
    service.createVault(caller, { name: 'New', vaultId: missingRef.vaultId }),
}
/** All but `deleteVault`, which has several steps and a test of its own. */
const atomicCalls = vaultCalls.filter(({ name }) => name !== 'deleteVault')
const faults = ['fail-before', 'fail-after'] as const

describe('createVaultService with a failing store', () => {
  it.each([createVault, ...atomicCalls])(
    '$name throws a StorageError without secrets and changes everything or nothing',
    async (call) => {
      const before = await recordsAfter(call, 'not run')
      const { calls, records: after } = await recordsAfter(call, 'run')
      expect(calls.length).toBeGreaterThan(0)
      for (const [index, name] of calls.entries()) {
        for (const fault of faults) {
          const vault = await createTestVault()
          const service = serviceOn(vault, failingAt(vault.store, index, fault))
          const outcome: unknown = await call
            .run(service, vault.caller, fileRef(vault))
            .catch((error: unknown) => error)
          const current = await readRecords(vault.store, vault.vaultId)
          if (outcome instanceof Error) expectClean(outcome)
          else expect([call.name, name, current]).toEqual([...cleanUpCall(call.name, name), after])
          expect([before.records, after]).toContainEqual(current)
          await expectReadable(vault)
        }
      }
    },
  )

  it.each(faults)(
    'deleteItem deletes the item when the removal of a blob fails: %s',
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

  it('works again when the store works again', async () => {
    const vault = await createTestVault()
    let isBroken = true
    const store = createFaultyStore(
      vault.store,
      () => (isBroken ? 'fail-before' : undefined),
      driverError,
    )
    const service = serviceOn(vault, store)
    const ref = { vaultId: vault.vaultId, itemId: vault.item.id }
    await expect(service.getItem(vault.caller, ref)).rejects.toBeInstanceOf(StorageError)
    isBroken = false
    expect(await service.getItem(vault.caller, ref)).toStrictEqual(vault.item)
  })
})

/** The operation and the call if the call only cleans up, so that its failure is ignored. */
function cleanUpCall(operation: string, call: string): readonly string[] {
  const calls: Record<string, readonly string[]> = {
    attachFile: ['records.delete'],
    deleteItem: ['records.list', 'records.delete', 'blobs.delete'],
    removeFile: ['records.delete', 'blobs.delete'],
    collectGarbage: ['records.delete'],
  }
  return calls[operation]?.includes(call) ? [operation, call] : []
}

/** The records of a test vault and the calls of the operation to a working store. */
async function recordsAfter(
  { run }: VaultCall,
  when: 'run' | 'not run',
): Promise<{ calls: string[]; records: string[] }> {
  const vault = await createTestVault()
  const store = createRecordingStore(vault.store)
  if (when === 'run') await run(serviceOn(vault, store), vault.caller, fileRef(vault))
  return { calls: [...store.calls], records: await readRecords(vault.store, vault.vaultId) }
}

/** A service with the same ids and times in every run. */
function serviceOn({ clock }: TestVault, store: VaultStore): ReturnType<typeof createVaultService> {
  return createVaultService({ store, now: clock, randomBytes: createSeededRandomBytes(9) })
}

function failingAt(store: VaultStore, index: number, fault: Fault): VaultStore {
  const isLook = createLookDetector()
  let count = 0
  const faultOf = (call: StoreCall): Fault => {
    if (isLook(call)) return undefined
    return count++ === index ? fault : undefined
  }
  return createFaultyStore(store, faultOf, driverError)
}

/** Asserts that the error contains only the class and the code of the driver's error. */
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

/** Asserts that every listed item and each of its files can be read. */
async function expectReadable({ service, caller, vaultId }: TestVault): Promise<void> {
  for (const { id: itemId } of await service.listItems(caller, { vaultId })) {
    const { files } = await service.getItem(caller, { vaultId, itemId })
    for (const { id: fileId, size } of files) {
      const { content } = await service.readFileContent(caller, { vaultId, itemId, fileId })
      expect((await new Response(content).bytes()).length).toBe(size)
    }
  }
}
