import { describe, expect, it } from 'vitest'
import { operations } from '../../src/core/operations.js'
import {
  type Caller,
  createCaller,
  InvalidInputError,
  type ItemRef,
  UnauthorizedError,
} from '../../src/index.js'
import { createTestVault, type TestVault } from '../../src/testing.js'
import { loginDraft } from '../support/drafts.js'
import { readRecords } from '../support/stores/stores.js'

type Operation = (caller: unknown, input: unknown) => Promise<unknown>
type MethodName = keyof typeof operations

const names = Object.keys(operations) as MethodName[]

/** The operation without its types. */
const untyped = ({ service }: TestVault, name: MethodName): Operation =>
  (service[name] as Operation).bind(service)

/** The error that a call rejects with. A call that throws synchronously fails the test. */
async function rejection(call: () => Promise<unknown>): Promise<unknown> {
  const promise = call()
  expect(promise).toBeInstanceOf(Promise)
  return promise.then(
    () => new Error('it was accepted'),
    (error: unknown) => error,
  )
}

/** Asserts that the operations, by default all, reject every input with that error, and store nothing. */
async function expectRejections(
  kind: typeof InvalidInputError | typeof UnauthorizedError,
  callers: (vault: TestVault) => readonly unknown[],
  inputs: (vault: TestVault) => readonly unknown[],
  ofNames: readonly MethodName[] = names,
): Promise<void> {
  const vault = await createTestVault()
  const before = await readRecords(vault.store, vault.vaultId)
  for (const name of ofNames)
    for (const caller of callers(vault))
      for (const input of inputs(vault)) {
        const error = await rejection(() => untyped(vault, name)(caller, input))
        expect([name, caller, input, error]).toEqual([name, caller, input, expect.any(kind)])
      }
  expect(await readRecords(vault.store, vault.vaultId)).toEqual(before)
}

describe('decisions on calls in process', () => {
  it('in-process-1 a missing input is an InvalidInputError, unless none is needed', async () => {
    const withoutInput = ['listVaults', 'listActivity'] as const
    await expectRejections(
      InvalidInputError,
      ({ caller }) => [caller],
      () => [undefined],
      names.filter((name) => !withoutInput.some((other) => other === name)),
    )
    const { service, caller, vaultId } = await createTestVault()
    expect(await service.listVaults(caller)).toMatchObject([{ id: vaultId }])
    expect(await service.listActivity(caller)).toEqual({ entries: [] })
  })

  it('in-process-2 null, and an input that is not an object, are an InvalidInputError', () =>
    expectRejections(
      InvalidInputError,
      ({ caller }) => [caller],
      () => [null, 7, 'vaultId'],
    ))

  it('in-process-3 a missing caller, and one without its method, are an UnauthorizedError', () =>
    expectRejections(
      UnauthorizedError,
      () => [undefined, null, {}, { id: 'x' }, { id: 'x', can: true }, 'x'],
      ({ vaultId, item, smallFile }) => [
        { vaultId, itemId: item.id, fileId: smallFile.id },
        undefined,
      ],
    ))

  it('in-process-4 input is parsed with the schema of HTTP: inlineFiles must be a boolean', async () => {
    const { service, caller, vaultId, item, smallFile } = await createTestVault()
    const itemRef = { vaultId, itemId: item.id }
    const ref = { ...itemRef, fileId: smallFile.id }
    for (const inlineFiles of ['false', 'true', 0, null]) {
      const invalid = { inlineFiles: inlineFiles as unknown as boolean }
      for (const call of [
        service.getFileDetails(caller, { ...ref, ...invalid }),
        service.listFiles(caller, { ...itemRef, ...invalid }),
      ])
        await expect(call).rejects.toMatchObject({
          issues: [{ path: 'inlineFiles', message: 'must be a boolean' }],
        })
    }
    const details = await service.getFileDetails(caller, { ...ref, inlineFiles: true })
    expect(details).toHaveProperty('content')
  })

  it('in-process-5 every other member is parsed too', async () => {
    const vault = await createTestVault()
    const { caller, vaultId, item, smallFile } = vault
    const ref = { vaultId, itemId: item.id }
    const itemDraft = loginDraft(vaultId)
    const bad: readonly (readonly [MethodName, object])[] = [
      ['createVault', { name: 7 }],
      ['createVault', { name: 'x', vaultId: 'X' }],
      ['getVault', { vaultId: 7 }],
      ['updateVault', { vaultId, name: 7 }],
      ['listVaults', { filter: 7 }],
      ['listItems', { vaultId, limit: '1' }],
      ['createItem', { vaultId }],
      ['createItem', { vaultId, item: null }],
      ['getItem', { vaultId, itemId: ['x'] }],
      ['getItems', { vaultId, itemIds: item.id }],
      ['replaceItem', { ...ref, item: 'x' }],
      ['replaceItem', { ...ref, item: itemDraft, ifVersion: '3' }],
      ['patchItem', { ...ref }],
      ['patchItem', { ...ref, patch: null }],
      ['patchItem', { ...ref, patch: [], ifVersion: 1.5 }],
      ['setItemState', { ...ref, state: 'GONE' }],
      ['attachFile', { ...ref, name: 7, content: new Uint8Array(1) }],
      ['attachFile', { ...ref, name: 'f', content: 'text' }],
      ['getVersion', { ...ref, version: '1' }],
      ['listActivity', { limit: '1' }],
    ]
    for (const [name, input] of bad) {
      const error = await rejection(() => untyped(vault, name)(caller, input))
      expect([name, input, error]).toEqual([name, input, expect.any(InvalidInputError)])
    }
    const stored = await vault.service.getItem(caller, ref)
    expect([stored.version, stored.files[0]]).toEqual([item.version, smallFile])
  })

  it('in-process-6 the caller is checked before the input', async () => {
    const vault = await createTestVault()
    for (const name of names) {
      const error = await rejection(() => untyped(vault, name)(undefined, null))
      expect([name, error]).toEqual([name, expect.any(UnauthorizedError)])
    }
    const reader: Caller = createCaller({ id: 'reader', vaults: { [vault.vaultId]: 'read' } })
    const error = await rejection(() =>
      untyped(vault, 'createItem')(reader, { vaultId: vault.vaultId, item: null }),
    )
    expect(error).toMatchObject({ code: 'FORBIDDEN' })
  })

  it('in-process-7 an unknown member of the input or of the options is rejected', async () => {
    const vault = await createTestVault({ strict: false })
    const { service, caller, vaultId, item } = vault
    const ref = { vaultId, itemId: item.id }
    for (const call of [
      service.deleteItem(caller, { ...ref, expectedVersion: 1 } as ItemRef),
      service.deleteItem(caller, ref, { ifVersion: 1 } as object),
    ])
      await expect(call).rejects.toThrow(InvalidInputError)
    const draft = { ...loginDraft(vaultId), titel: 'x' }
    expect(await service.createItem(caller, { vaultId, item: draft })).not.toHaveProperty('titel')
    const value = { id: 'f', value: 'x', lable: 'x' }
    const patch = [{ op: 'add', path: '/fields/-', value }] as const
    expect(await service.patchItem(caller, { ...ref, patch })).toMatchObject({ version: 4 })
  })
})
