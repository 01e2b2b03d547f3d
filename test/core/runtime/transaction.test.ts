import { describe, expect, it, vi } from 'vitest'
import { unreadableRecordError } from '../../../src/base/fixed-errors.js'
import type { WrapCall } from '../../../src/base/map-store.js'
import { createCredentials } from '../../../src/credentials.js'
import {
  ActivityUnavailableError,
  type Caller,
  ConflictError,
  createVaultService,
  type MethodName,
  StorageError,
  StorageUnavailableError,
  type VaultService,
  type VaultServiceOptions,
  type VaultTransaction,
} from '../../../src/index.js'
import { vaultGrants } from '../../../src/oauth.js'
import { createReferenceResolver } from '../../../src/references.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault, type TestVaultOptions } from '../../../src/testing.js'
import { vaultSecrets } from '../../../src/use.js'
import { noteDraft } from '../../support/drafts.js'
import { createHttpHandler } from '../../support/http/checked-handlers.js'
import { exampleInput, toCallRef } from '../../support/service/operation-examples.js'
import { createTrackedActivity } from '../../support/service/tracked-activity.js'
import { anyClient, createJoinableStore } from '../../support/stores/joinable-store.js'

/** A test vault whose calls in a transaction go through `wrap`. */
async function createWorld(options: TestVaultOptions<undefined> = {}, wrap?: WrapCall) {
  const store = createJoinableStore(createMemoryStore(), wrap)
  const world = await createTestVault({ store, ...options })
  const vault = world.service.inTransaction(anyClient)
  const note = await world.service.createItem(world.caller, {
    vaultId: world.vaultId,
    item: noteDraft(world.vaultId),
  })
  return { ...world, vault, ref: { vaultId: world.vaultId, itemId: note.id } }
}

const rename = [{ op: 'replace', path: '/title', value: 'Changed' }] as const

const refused = [
  ...['attachFile', 'removeFile', 'listFiles', 'getFileDetails', 'readFileContent'],
  ...['deleteVault', 'collectGarbage'],
] as readonly MethodName[]

describe('inTransaction', () => {
  it('makes calls in the transaction, also for a bound caller', async () => {
    let calls = 0
    const { service, caller, vault, ref } = await createWorld({}, (run) => {
      calls++
      return run()
    })
    expect(calls).toBe(0)
    await vault.patchItem(caller, { ...ref, patch: rename })
    expect(calls).toBe(2)
    expect(await vault.as(caller).getItem(ref)).toMatchObject({ title: 'Changed' })
    expect(await service.getItem(caller, ref)).toMatchObject({ title: 'Changed' })
  })

  it('throws a TypeError when the store has no transactions', () => {
    const service = createVaultService({ store: createMemoryStore() })
    const message = 'the store cannot take part in transactions of the application'
    expect(() => service.inTransaction(anyClient)).toThrow(new TypeError(message))
  })

  it.each(refused)('rejects %s before anything is read or recorded', async (name) => {
    const activity = createTrackedActivity()
    let calls = 0
    const world = await createWorld({ activity: activity.log }, (run) => {
      calls++
      return run()
    })
    const recorded = activity.entries.length
    const call = Reflect.get(world.vault, name) as (caller: unknown, input: unknown) => unknown
    const input = exampleInput(name, toCallRef(world))
    const error = new TypeError(`${name} cannot be called in a transaction`)
    await expect(call(world.caller, input)).rejects.toThrow(error)
    expect(calls).toBe(0)
    expect(activity.entries).toHaveLength(recorded)
  })

  it('refuses what only the service itself does', async () => {
    const { vault } = await createWorld()
    const service = vault as VaultTransaction & VaultService
    expect(() => service.on('item.created', () => {})).toThrow(TypeError)
    expect(() => service.inTransaction(anyClient)).toThrow(TypeError)
    await expect(service.close()).rejects.toThrow(TypeError)
    await expect(service.checkHealth()).rejects.toThrow(TypeError)
  })

  it('is refused by every function but createCredentials', async () => {
    const { vault, caller, vaultId } = await createWorld()
    const service = vault as VaultTransaction & VaultService
    const functions = [
      () => createHttpHandler(service, { authenticate: async () => caller }),
      () => vaultGrants(service, caller),
      () => vaultSecrets(service, caller),
      () => createReferenceResolver(service, caller),
    ]
    for (const create of functions)
      expect(create).toThrow('must not be the result of inTransaction')
    const kinds = { stripe: { fields: { key: {} } } }
    const credentials = createCredentials(vault, kinds).of(caller, vaultId)
    await credentials.save('stripe', { key: 'sk_live_1' })
    expect(await credentials.reveal('stripe', 'key')).toBe('sk_live_1')
  })

  it.each([
    ['patchItem', { patch: rename }],
    ['deleteItem', {}],
    ['setItemState', { state: 'ARCHIVED' }],
  ] as const)('rejects %s of an item with files, which can still be read', async (name, change) => {
    const { vault, caller, vaultId, item } = await createWorld()
    const ref = { vaultId, itemId: item.id }
    const call = vault[name] as (given: Caller, input: object) => Promise<unknown>
    await expect(call(caller, { ...ref, ...change })).rejects.toThrow(
      new TypeError('in a transaction, an item with files cannot be changed or deleted'),
    )
    expect(await vault.getItem(caller, ref)).toEqual(item)
  })

  it('rejects a new vault with the id of a deleted one', async () => {
    const { service, vault, caller } = await createWorld()
    const vaultId = 'chosen'.padEnd(26, 'v')
    const input = { vaultId, name: 'Team' }
    await vault.createVault(caller, input)
    await service.deleteVault(caller, { vaultId })
    await expect(vault.createVault(caller, input)).rejects.toThrow(TypeError)
  })

  it('emits no event', async () => {
    const { service, vault, caller, ref } = await createWorld()
    const listener = vi.fn()
    service.on('item.updated', listener)
    await vault.patchItem(caller, { ...ref, patch: rename })
    expect(listener).not.toHaveBeenCalled()
  })

  it('counts as a call of the service, which can be closed', async () => {
    const { service, vault, caller, ref } = await createWorld()
    const calling = vault.getItem(caller, ref)
    await service.close()
    await calling
    await expect(vault.getItem(caller, ref)).rejects.toBeInstanceOf(StorageUnavailableError)
  })

  it.each([
    ['a failed statement', new StorageError('the database failed'), 500],
    ['a lost race', new ConflictError('lost', { cause: { code: '40001' } }), 409],
  ])('refuses every call after %s', async (_, error, status) => {
    let isBroken = true
    const { vault, caller, ref } = await createWorld({}, (run) =>
      isBroken ? Promise.reject(error) : run(),
    )
    await expect(vault.getItem(caller, ref)).rejects.toMatchObject({ status })
    isBroken = false
    await expect(vault.getItem(caller, ref)).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: 'an earlier call in the transaction has failed: roll it back',
      cause: error,
    })
  })

  it('rejects a call that has ignored a failed statement', async () => {
    let deletions = 0
    const history = { maxVersions: 1 }
    const { vault, caller, ref } = await createWorld({ history }, async (run) => {
      if (run.toString().includes('.list(')) {
        deletions++
        throw new StorageError('the database failed')
      }
      return run()
    })
    const input = { ...ref, patch: rename }
    await vault.patchItem(caller, input)
    const again = { ...ref, patch: [{ ...rename[0], value: 'Again' }] }
    await expect(vault.patchItem(caller, again)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    expect(deletions).toBe(1)
  })

  it('goes on after an unreadable item', async () => {
    let isDamaged = true
    const record = { collection: 'items', id: 'a', version: 1 }
    const { vault, caller, ref } = await createWorld({}, (run) =>
      isDamaged ? Promise.reject(unreadableRecordError(record)) : run(),
    )
    await expect(vault.getItem(caller, ref)).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' })
    isDamaged = false
    expect(await vault.getItem(caller, ref)).toMatchObject({ id: ref.itemId })
  })

  it.each([
    ['the activity log', new ActivityUnavailableError('no response')],
    ['the store of the keys', new StorageUnavailableError('no response')],
  ])('names the pool when %s does not respond', async (name, error) => {
    const isOfLog = name === 'the activity log'
    const activity = createTrackedActivity()
    let isDown = false
    const around: VaultServiceOptions['around'] = async ({ operation }, next) => {
      if (isDown && !isOfLog && operation === 'getItem') throw error
      await next()
    }
    const { vault, caller, ref } = await createWorld({ activity: activity.log, around })
    isDown = true
    if (isOfLog) activity.fail(error)
    await expect(vault.getItem(caller, ref)).rejects.toMatchObject({
      code: error.code,
      message: expect.stringContaining('no transaction may be taken from the pool of its service'),
    })
  })
})
