import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isVaultError, type VaultStore } from '../src/index.js'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  createTenantKeyProvider,
} from '../src/storage/encrypted.js'
import { createMemoryStore } from '../src/storage/memory.js'
import { createFaultyStore, type Fault, type TestVault } from '../src/testing.js'
import { streamOf, utf8 } from './support/bytes.js'
import { captureOutput, errorText, responseText } from './support/http/client-messages.js'
import { invalidItems, invalidPatches } from './support/items/invalid-bodies.js'
import {
  createMarkedCalls,
  createMarkedVault,
  type MarkedCalls,
} from './support/service/secret-marker-calls.js'

const marker = `mark${randomBytes(12).toString('hex')}`
const noSuchId = '0'.repeat(26)

/** An error like that of a driver, which contains its input in every member. */
const leakyError = Object.assign(
  new Error(`cannot write ${marker}`, { cause: new Error(marker) }),
  {
    code: 'EIO',
    detail: marker,
    row: { [marker]: marker },
  },
)

const markedVault = (store?: VaultStore): Promise<TestVault> => createMarkedVault(marker, store)
const callsOn = (vault: TestVault, actor = vault.caller): MarkedCalls =>
  createMarkedCalls(marker, vault, actor)

/** Asserts that `work` rejects with an error of the library without the marker. */
async function expectErrorWithoutMarker(name: string, work: () => Promise<unknown>): Promise<void> {
  const error = await work().then(
    () => 'succeeded',
    (thrown: unknown) => thrown,
  )
  expect([name, isVaultError(error) || error]).toEqual([name, true])
  expect([name, errorText(error).includes(marker)]).toEqual([name, false])
}

/** Asserts that nothing written during `work` contains the marker. */
async function expectNoMarkerWritten(work: () => Promise<void>): Promise<void> {
  expect(await captureOutput(work)).not.toContain(marker)
}

describe('wordsOf, wordsIn and writtenDuring', () => {
  it('find the marker in nested errors, responses and output', async () => {
    expect(errorText(leakyError)).toContain(marker)
    expect(
      errorText(new Error('x', { cause: new Error('y', { cause: new Error(marker) }) })),
    ).toContain(marker)
    expect(
      errorText(Object.defineProperty(new Error('x'), 'hidden', { value: [marker] })),
    ).toContain(marker)
    expect(responseText({ status: 400, headers: { [marker]: 'x' }, body: '' })).toContain(marker)
    const written = await captureOutput(async () => {
      process.stderr.write(marker)
    })
    expect(written).toBe(marker)
  })
})

describe('createVaultService: secrets in errors', () => {
  it('throws no value of a rejected item', () =>
    expectNoMarkerWritten(async () => {
      const { service, caller, vaultId, item } = await markedVault()
      for (const [what, body] of Object.entries(invalidItems(marker, vaultId))) {
        const bad = { vaultId, itemId: item.id, item: body as never }
        await expectErrorWithoutMarker(`creating ${what}`, () => service.createItem(caller, bad))
        await expectErrorWithoutMarker(`replacing by ${what}`, () =>
          service.replaceItem(caller, bad),
        )
      }
    }))

  it('throws no value of a rejected patch', () =>
    expectNoMarkerWritten(async () => {
      const { service, caller, vaultId, item } = await markedVault()
      for (const [what, patch] of Object.entries(invalidPatches(marker, vaultId))) {
        const bad = { vaultId, itemId: item.id, patch: patch as never }
        await expectErrorWithoutMarker(`patching with ${what}`, () =>
          service.patchItem(caller, bad),
        )
      }
    }))

  it('throws no value of a rejected vault, file or filter', () =>
    expectNoMarkerWritten(async () => {
      const { service, caller, vaultId, item } = await markedVault()
      const ref = { vaultId, itemId: item.id }
      const bad: Record<string, () => Promise<unknown>> = {
        'a vault’s name': () => service.createVault(caller, { name: `${marker}\0` }),
        'a vault’s description': () =>
          service.createVault(caller, { name: marker, description: [marker] as never }),
        'a vault’s id': () => service.createVault(caller, { name: marker, vaultId: marker }),
        'a vault’s new name': () => service.updateVault(caller, { vaultId, name: `${marker}\0` }),
        'a vault’s new description': () =>
          service.updateVault(caller, { vaultId, description: [marker] as never }),
        'ids of items': () => service.getItems(caller, { vaultId, itemIds: [marker] }),
        'a state': () => service.setItemState(caller, { ...ref, state: marker as never }),
        'a file’s name': () =>
          service.attachFile(caller, { ...ref, name: `${marker}\0`, content: utf8(marker) }),
        'a file’s section': () =>
          service.attachFile(caller, {
            ...ref,
            name: marker,
            content: utf8(marker),
            sectionId: `${marker}!`,
          }),
        'a file’s id': () =>
          service.attachFile(caller, {
            ...ref,
            name: marker,
            content: utf8(marker),
            fileId: marker,
          }),
        'a file’s content': () =>
          service.attachFile(caller, { ...ref, name: marker, content: marker as never }),
        'a stream’s content': () =>
          service.attachFile(caller, { ...ref, name: marker, content: streamOf([marker]) }),
        'a filter': () => service.listItems(caller, { vaultId, filter: marker }),
        'an old version': () => service.deleteItem(caller, { ...ref, ifVersion: 1 }),
      }
      for (const [what, work] of Object.entries(bad)) await expectErrorWithoutMarker(what, work)
    }))

  it('throws no value without a caller, a permission or a record', () =>
    expectNoMarkerWritten(async () => {
      const vault = await markedVault()
      const noAccess = { id: marker, can: () => false }
      const elsewhere = { ...vault, vaultId: noSuchId }
      const { listVaults, ...rejectedCalls } = callsOn(vault, noAccess)
      expect(await listVaults()).toEqual([])
      for (const [name, call] of Object.entries(rejectedCalls))
        await expectErrorWithoutMarker(name, call)
      for (const [name, call] of Object.entries(
        callsOn({ ...vault, caller: undefined as never }),
      )) {
        await expectErrorWithoutMarker(name, call)
      }
      const { createVault: _createVault, listVaults: _listVaults, ...others } = callsOn(elsewhere)
      for (const [name, call] of Object.entries(others)) await expectErrorWithoutMarker(name, call)
    }))

  it.each(['fail-before', 'fail-after'] as const)(
    'throws no value when the error of a store contains it: %s at each call',
    (fault) =>
      expectNoMarkerWritten(async () => {
        for (const error of [leakyError, marker, { message: marker, name: `Error ${marker}` }]) {
          for (const name of Object.keys(callsOn(await markedVault())) as (keyof MarkedCalls)[]) {
            const failures = await failuresOf(name, fault, error)
            expect([name, failures > 0]).toEqual([name, true])
          }
        }
      }),
  )

  it('throws no value after too many write conflicts', () =>
    expectNoMarkerWritten(async () => {
      let hasConflicts = false
      const inner = createMemoryStore()
      const calls = callsOn(
        await markedVault(
          createFaultyStore(inner, ({ method }) =>
            hasConflicts && method === 'put' ? 'conflict' : undefined,
          ),
        ),
      )
      hasConflicts = true
      for (const name of ['createVault', 'createItem', 'patchItem'] as const)
        await expectErrorWithoutMarker(name, calls[name])
    }))

  it('throws no value of a corrupt record or blob', () =>
    expectNoMarkerWritten(async () => {
      const { records, blobs } = createMemoryStore()
      const odd: { text?: string; content?: () => ReadableStream<Uint8Array> } = {}
      const store: VaultStore = {
        records: {
          ...records,
          get: async (key) =>
            odd.text === undefined ? records.get(key) : { version: 1, body: utf8(odd.text) },
        },
        blobs: { ...blobs, read: async (id) => odd.content?.() ?? blobs.read(id) },
      }
      const calls = callsOn(await markedVault(store))
      const header = '{"format":1,"blobs":{}}'
      for (const text of [
        marker,
        `${header}\n{"title":"${marker}"}`,
        `{"${marker}":1}\n{`,
        `${header}\n${marker}`,
      ]) {
        odd.text = text
        for (const name of ['getVault', 'getItem', 'patchItem'] as const)
          await expectErrorWithoutMarker(name, calls[name])
      }
      delete odd.text
      for (const chunks of [[marker, marker], ['short'], [marker, leakyError]]) {
        const [start, end] = chunks
        odd.content = () =>
          typeof end === 'object' ? streamOf([], end) : streamOf([utf8(`${start}${end ?? ''}`)])
        for (const name of ['getFileDetails', 'readFileContent'] as const)
          await expectErrorWithoutMarker(name, calls[name])
      }
    }))
})

describe('createEncryptedStore: secrets in errors', () => {
  it('throws nothing that a key provider was given, has returned or has said', () =>
    expectNoMarkerWritten(async () => {
      const scope = noSuchId
      const inner = createMemoryStore()
      const ours = createLocalKeyProvider({ key: randomBytes(32) })
      const theirs = createLocalKeyProvider({ keys: { acme: randomBytes(32) }, keyId: 'acme' })
      const materials: string[] = []
      let fault: 'wrap' | 'unwrap' | 'ofVault' | 'other bytes' | undefined
      const fail = (name: typeof fault): void => {
        if (fault === name) throw leakyError
      }
      const keys = createTenantKeyProvider({
        ours,
        async ofVault() {
          fail('ofVault')
          return {
            ...theirs,
            async wrap(bytes, context) {
              materials.push(Buffer.from(bytes).toString('hex'))
              fail('wrap')
              return theirs.wrap(bytes, context)
            },
            async unwrap(kekId, wrapped, context) {
              fail('unwrap')
              const bytes = await theirs.unwrap(kekId, wrapped, context)
              return fault === 'other bytes' ? bytes.map((byte) => byte ^ 1) : bytes
            },
          }
        },
      })
      const options = { keys, keyRings: createMemoryStore().records, maxKeyAgeMs: 60_000 }
      const store = createEncryptedStore(inner, options)
      const key = { collection: `items/${scope}`, id: 'a' }
      await store.records.put(key, { body: utf8(marker), indexKey: marker }, 0)
      await store.blobs.write(`${scope}/f`, utf8(marker))
      const scopes = [scope]
      const calls: Record<string, () => Promise<unknown>> = {
        get: () => store.records.get(key),
        put: () => store.records.put(key, { body: utf8(marker), indexKey: marker }, 1),
        create: () =>
          createEncryptedStore(createMemoryStore(), { keys }).records.put(
            key,
            { body: utf8('x') },
            0,
          ),
        read: () => store.blobs.read(`${scope}/f`),
        rotateDataKeys: () => store.rotateDataKeys({ scopes }),
        rewrapKeys: () => store.rewrapKeys({ scopes }),
      }
      for (fault of ['wrap', 'unwrap', 'ofVault', 'other bytes'] as const)
        for (const [name, call] of Object.entries(calls)) {
          await store.forgetKeys()
          if (fault === 'wrap' && !/create|rotate/.test(name)) continue
          const error = await call().then(
            () => 'succeeded',
            (thrown: unknown) => thrown,
          )
          expect([fault, name, isVaultError(error) || error]).toEqual([fault, name, true])
          for (const secret of [marker, ...materials])
            expect(errorText(error).includes(secret)).toBe(false)
        }
      fault = undefined
      for (const call of [
        () => store.eraseKeys({ scopes }),
        () => store.eraseKeys({ scopes: [marker] }),
        () => store.rotateDataKeys({ scopes: [marker] }),
      ])
        expect(errorText(await call().catch((error: unknown) => error))).not.toContain(marker)
    }))
})

/**
 * Fails each store call of an operation in turn and checks its error. Returns the number of calls
 * whose failure made the operation fail.
 */
async function failuresOf(name: keyof MarkedCalls, fault: Fault, error: unknown): Promise<number> {
  for (let failures = 0; ; failures++) {
    let left = Number.POSITIVE_INFINITY
    const store = createFaultyStore(
      createMemoryStore(),
      () => (left-- === 0 ? fault : undefined),
      error,
    )
    const call = callsOn(await markedVault(store))[name]
    left = failures
    const outcome = await call().then(
      () => undefined,
      (thrown: unknown) => ({ thrown }),
    )
    if (outcome === undefined) return failures
    await expectErrorWithoutMarker(`${name}, call ${failures}`, () =>
      Promise.reject(outcome.thrown),
    )
  }
}
