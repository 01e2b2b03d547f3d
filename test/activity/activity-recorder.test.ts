import { describe, expect, it } from 'vitest'
import { operations } from '../../src/core/operations.js'
import {
  createCaller,
  createVaultService,
  type MethodName,
  TooManyRequestsError,
  type VaultStore,
} from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createFaultyStore, createTestVault, type TestVaultOptions } from '../../src/testing.js'
import { noteDraft } from '../support/drafts.js'
import { itemRef } from '../support/items/refs.js'
import { createSpyLog, expectedEntry, observedCalls } from '../support/service/observed-calls.js'
import { exampleUse, toCallRef } from '../support/service/operation-examples.js'
import { callsWithBody, missingRef, vaultCalls } from '../support/service/vault-calls.js'
import { useVirtualTime } from '../support/virtual-time.js'

const uuid = /^[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const requestIdPattern = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/
const otherVault = createCaller({ id: 'otherVault', vaults: {} })
const bytes = new Uint8Array(3)

/** A test vault, and the entries recorded from now on. */
async function createRecordedVault(options: TestVaultOptions<undefined> = {}) {
  const log = createSpyLog()
  const vault = await createTestVault({ activity: log, ...options })
  log.collected.length = 0
  return { ...vault, ref: itemRef(vault), callRef: toCallRef(vault), entries: log.collected }
}

/** A store that runs a concurrent change before the next write of an item or a vault. */
function createInterruptibleStore(): {
  store: VaultStore
  interruptWith(change: () => Promise<unknown>): void
} {
  const { records, blobs } = createMemoryStore()
  let next: (() => Promise<unknown>) | undefined
  const runInterruption = async (collection: string): Promise<void> => {
    const change = /^items|^vaults/.test(collection) ? next : undefined
    if (change === undefined) return
    next = undefined
    await change()
  }
  return {
    store: {
      records: {
        ...records,
        put: async (key, record, expectedVersion) => {
          await runInterruption(key.collection)
          return records.put(key, record, expectedVersion)
        },
        delete: async (key, expectedVersion) => {
          await runInterruption(key.collection)
          return records.delete(key, expectedVersion)
        },
      },
      blobs,
    },
    interruptWith: (change) => {
      next = change
    },
  }
}

/** A vault on an interruptible store, and a second service for concurrent changes. */
async function createInterruptibleVault() {
  const { store, interruptWith } = createInterruptibleStore()
  const vault = await createRecordedVault({ store })
  return { ...vault, interruptWith, concurrent: createVaultService({ store }) }
}

describe('createActivityRecorder', () => {
  describe('entry', () => {
    const clientRequestId = '123e4567-e89b-12d3-a456-426614174000'

    it.each([clientRequestId, 'request-1', 'a', 'x'.repeat(128), 'A.b_c-1'])(
      'records its own request id beside the client request id %s',
      async (requestId) => {
        const { service, caller, ref, entries } = await createRecordedVault()
        await service.getItem({ ...caller, client: { requestId } }, ref)
        expect(entries).toMatchObject([
          { requestId: expect.stringMatching(requestIdPattern), clientRequestId: requestId },
        ])
        expect(entries[0]?.requestId).not.toBe(requestId)
      },
    )

    it.each(['', 'x'.repeat(129), 'a b', 'a\n', 'é', '"'])(
      'omits the client request id %j, which is not 1 to 128 of A-Z a-z 0-9 _ . -',
      async (requestId) => {
        const { service, caller, ref, entries } = await createRecordedVault()
        await service.getItem({ ...caller, client: { requestId } }, ref)
        await service.getItem(caller, ref)
        for (const entry of entries) expect(entry).not.toHaveProperty('clientRequestId')
      },
    )

    it('records different request ids when a client sends the same id twice', async () => {
      const { service, caller, ref, entries } = await createRecordedVault()
      const sameId = { ...caller, client: { requestId: clientRequestId } }
      await service.patchItem(sameId, {
        ...ref,
        patch: [{ op: 'add', path: '/title', value: 'Mine' }],
      })
      await expect(service.deleteItem(sameId, { ...ref, ifVersion: 99 })).rejects.toThrow()
      expect(entries.map(({ result }) => result)).toEqual(['PENDING', 'SUCCESS', 'DENY'])
      const [pending, settled, denied] = entries.map(({ requestId }) => requestId)
      expect(settled).toBe(pending)
      expect(denied).not.toBe(pending)
    })

    it('records request ids in the order of the calls', async () => {
      const { service, caller, ref, entries } = await createRecordedVault()
      for (let count = 0; count < 20; count++) await service.getItem(caller, ref)
      const ids = entries.map(({ requestId }) => requestId)
      expect(ids).toEqual(ids.toSorted())
      expect(new Set(ids).size).toBe(20)
    })

    it('records the duration of a call when it has ended', async () => {
      useVirtualTime()
      const { service, caller, ref, entries } = await createRecordedVault({
        around: async (_, next) => {
          await new Promise((resolve) => setTimeout(resolve, 1200))
          await next()
        },
      })
      entries.length = 0
      await service.deleteItem(caller, ref)
      const [pending, settled] = entries
      expect(pending).not.toHaveProperty('durationMs')
      expect(settled?.durationMs).toBeGreaterThanOrEqual(1200)
      expect(settled?.durationMs).toBeLessThan(10_000)
    })

    it('replaces line breaks and invisible characters in the user agent and address', async () => {
      const { service, caller, ref, entries } = await createRecordedVault()
      const forged = 'a\nb\r\u2028c\u2029d\u001be\u009bf\u202eg\u0000h\ud800'
      await service.getItem({ ...caller, client: { userAgent: forged, requestIp: '1\n2' } }, ref)
      expect(entries[0]?.actor).toMatchObject({ userAgent: 'a b  c d e f g h ', requestIp: '1 2' })
    })

    it('escapes invisible characters in caller and token ids without collisions', async () => {
      const { service, caller, ref, entries } = await createRecordedVault()
      const ids = [
        'm\nalice',
        'm\\u{a}alice',
        'm alice',
        'm\\u000aalice',
        'A\\user',
        '\u2028\ud800é👍',
      ]
      for (const id of ids) await service.getItem({ ...caller, id, tokenId: id }, ref)
      const recorded = entries.map(({ actor }) => actor.id)
      expect(recorded).toEqual([
        'm\\u{a}alice',
        'm\\u{5c}u{a}alice',
        'm alice',
        'm\\u000aalice',
        'A\\user',
        '\\u{2028}\\u{d800}é👍',
      ])
      expect(entries.map(({ actor }) => actor.jti)).toEqual(recorded)
    })

    it('records DENY when a read fails in the store', async () => {
      const activity = createSpyLog()
      const { store, caller, ref } = await createRecordedVault()
      const service = createVaultService({
        store: createFaultyStore(store, () => 'fail-before'),
        activity,
      })
      await expect(service.getItem(caller, ref)).rejects.toThrow('the store failed')
      expect(activity.collected).toMatchObject([{ result: 'DENY', code: 'STORAGE_FAILED' }])
    })
  })

  describe('when an operation succeeds', () => {
    it.each(observedCalls)(
      'records $name with its action, resource and version',
      async ({ name, run }) => {
        const { service, caller, ref, callRef, entries } = await createRecordedVault()
        await run(service, caller, callRef)
        const { action, type, names, version } = expectedEntry(name)
        const vaultId = name === 'createVault' ? 'n'.repeat(26) : ref.vaultId
        const item = { id: name === 'createItem' ? expect.stringMatching(/^.{26}$/) : ref.itemId }
        const entry = (resource: object) => ({
          requestId: expect.stringMatching(requestIdPattern),
          timestamp: '2026-01-01T00:00:00.000Z',
          durationMs: expect.any(Number),
          operation: name,
          action,
          result: 'SUCCESS',
          actor: { id: 'tester' },
          ...(name === 'useField' && { use: { ...exampleUse, field: 'password' } }),
          resource,
        })
        const resource = {
          type,
          ...(names !== 'nothing' && { vault: { id: vaultId } }),
          ...(names === 'item' && { item }),
          ...(operations[name].target === 'file' && { file: { id: callRef.fileId } }),
          ...(name === 'attachFile' && { file: { id: expect.stringMatching(uuid) } }),
        }
        const versions =
          version === undefined
            ? {}
            : { [type === 'ITEM' ? 'itemVersion' : 'vaultVersion']: version }
        const { durationMs: _, ...pending } = { ...entry(resource), result: 'PENDING' }
        expect(entries).toEqual([
          ...(action === 'READ' ? [] : [pending]),
          entry({ ...resource, ...versions }),
        ])
        expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(1)
      },
    )

    it('records each item that getItems returns, or the vault when it returns none', async () => {
      const { service, caller, vaultId, item, entries } = await createRecordedVault()
      const other = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
      entries.length = 0
      const itemIds = [other.id, missingRef.itemId, item.id]
      await service.getItems(caller, { vaultId, itemIds })
      await service.getItems(caller, { vaultId, itemIds: [missingRef.itemId] })
      expect(entries.map(({ resource }) => resource)).toEqual([
        { type: 'ITEM', vault: { id: vaultId }, item: { id: other.id }, itemVersion: 1 },
        { type: 'ITEM', vault: { id: vaultId }, item: { id: item.id }, itemVersion: 3 },
        { type: 'ITEM', vault: { id: vaultId } },
      ])
    })

    it('records the id of a file in lower case, and the random one of a new file', async () => {
      const { service, caller, ref, callRef, entries } = await createRecordedVault()
      const { fileId } = callRef
      await service.removeFile(caller, { ...callRef, fileId: fileId.toUpperCase() })
      const { id } = await service.attachFile(caller, { ...ref, name: 'x', content: bytes })
      const [removed, added] = [{ id: fileId }, { id }]
      const files = entries.map(({ resource }) => resource.file)
      expect(files).toEqual([removed, removed, added, added])
    })

    it('records no file when the operation does not refer to one', async () => {
      const { service, caller, ref, entries } = await createRecordedVault()
      await service.getItem(caller, ref)
      expect(entries[0]?.resource).not.toHaveProperty('file')
    })

    it('records patchItem with the current version when the patch is empty', async () => {
      const { service, caller, vaultId, item, entries } = await createRecordedVault()
      await service.patchItem(caller, { vaultId, itemId: item.id, patch: [] })
      expect(entries).toMatchObject([{ action: 'UPDATE', resource: { itemVersion: 3 } }])
    })
  })

  describe('when an operation is rejected', () => {
    const denied = (name: string, resource: object) => {
      const { action, type } = expectedEntry(name as MethodName)
      return { action, result: 'DENY', resource: { type, ...resource } }
    }
    const targetResource = (names: string, { vaultId, itemId }: typeof missingRef): object => ({
      vault: { id: vaultId },
      ...(names !== 'vault' && { item: { id: itemId } }),
    })

    it.each(observedCalls)('records $name without a caller', async ({ run }) => {
      const { service, callRef, entries } = await createRecordedVault()
      await expect(run(service, undefined, callRef)).rejects.toMatchObject({ status: 401 })
      expect(entries).toMatchObject([{ result: 'DENY', actor: { id: '' } }])
    })

    it.each(vaultCalls)(
      'records $name without permission, on a missing target, and without malformed ids',
      async ({ name, names, run }) => {
        const { service, caller, callRef, entries } = await createRecordedVault()
        await expect(run(service, otherVault, callRef)).rejects.toMatchObject({ status: 403 })
        await expect(run(service, caller, missingRef)).rejects.toMatchObject({ status: 404 })
        const malformed = { vaultId: 'Invented', itemId: 'Invented', fileId: 'Invented' }
        const status = name === 'getFileDetails' ? 404 : 400
        await expect(run(service, caller, malformed)).rejects.toMatchObject({ status })
        expect(entries).toMatchObject([
          {
            ...denied(name, targetResource(names, callRef)),
            ...{ code: 'FORBIDDEN', actor: { id: 'otherVault' } },
          },
          { ...denied(name, targetResource(names, missingRef)), code: 'NOT_FOUND' },
          { ...denied(name, {}), code: status === 404 ? 'NOT_FOUND' : 'INVALID_INPUT' },
        ])
        expect(entries[0]?.resource).not.toHaveProperty('itemVersion')
        await run(service, caller, { ...callRef, itemId: 'Invented' }).catch(() => undefined)
        expect(JSON.stringify(entries)).not.toContain('Invented')
      },
    )

    it.each(callsWithBody)(
      'records $name with an invalid body',
      async ({ name, names, runBadBody }) => {
        const { service, caller, callRef, entries } = await createRecordedVault()
        await expect(runBadBody(service, caller, callRef)).rejects.toMatchObject({ status: 400 })
        expect(entries).toMatchObject([denied(name, targetResource(names, callRef))])
      },
    )

    it('records each operation with `ifVersion` when the version differs', async () => {
      const { service, caller, vaultId, ref, callRef, entries } = await createRecordedVault()
      const ifVersion = 99
      const calls = {
        updateVault: () => service.updateVault(caller, { vaultId, name: 'x', ifVersion }),
        replaceItem: () =>
          service.replaceItem(caller, { ...ref, item: noteDraft(vaultId), ifVersion }),
        patchItem: () => service.patchItem(caller, { ...ref, patch: [], ifVersion }),
        deleteItem: () => service.deleteItem(caller, { ...ref, ifVersion }),
        setItemState: () => service.setItemState(caller, { ...ref, state: 'ARCHIVED', ifVersion }),
        removeFile: () => service.removeFile(caller, { ...callRef, ifVersion }),
        restoreVersion: () => service.restoreVersion(caller, { ...ref, version: 3, ifVersion }),
      }
      for (const [name, call] of Object.entries(calls)) {
        entries.length = 0
        await expect(call()).rejects.toMatchObject({ status: 412 })
        expect(entries).toMatchObject([{ ...denied(name, {}), code: 'PRECONDITION_FAILED' }])
        expect(entries[0]?.resource).not.toHaveProperty('itemVersion')
      }
    })
  })

  describe('when a concurrent writer wins', () => {
    const patch = [{ op: 'add', path: '/title', value: 'Mine' }] as const

    it('records the version of the last attempt', async () => {
      const { service, concurrent, caller, ref, entries, interruptWith } =
        await createInterruptibleVault()
      interruptWith(() => concurrent.patchItem(caller, { ...ref, patch }))
      await service.patchItem(caller, { ...ref, patch })
      expect(entries).toMatchObject([
        { result: 'PENDING' },
        { result: 'SUCCESS', resource: { itemVersion: 5 } },
      ])
      expect(entries[0]?.resource).not.toHaveProperty('itemVersion')
      expect(entries[0]?.requestId).toBe(entries[1]?.requestId)
    })

    it('records the returned version when nothing is left to change', async () => {
      const { service, concurrent, caller, ref, entries, interruptWith } =
        await createInterruptibleVault()
      interruptWith(async () => {
        await concurrent.patchItem(caller, { ...ref, patch })
        await concurrent.setItemState(caller, { ...ref, state: 'ARCHIVED' })
      })
      await service.setItemState(caller, { ...ref, state: 'ARCHIVED' })
      expect(entries.map(({ resource }) => resource.itemVersion)).toEqual([undefined, 5])
    })

    it('records the id of a new file before it is added, and with DENY', async () => {
      const { service, concurrent, caller, ref, entries, interruptWith } =
        await createInterruptibleVault()
      const patchOnce = () => concurrent.patchItem(caller, { ...ref, patch })
      interruptWith(patchOnce)
      const { id } = await service.attachFile(caller, { ...ref, name: 'x', content: bytes })
      const file = { id }
      expect(entries).toMatchObject([
        { result: 'PENDING', resource: { file } },
        { result: 'SUCCESS', resource: { file, itemVersion: 5 } },
      ])
      interruptWith(() => concurrent.deleteItem(caller, ref))
      const attached = service.attachFile(caller, { ...ref, name: 'y', content: bytes })
      await expect(attached).rejects.toThrow('not found')
      const [, , attempt, failure] = entries
      expect([attempt?.result, failure?.result]).toEqual(['PENDING', 'DENY'])
      expect(attempt?.resource.file?.id).toMatch(uuid)
      expect(failure?.resource.file).toEqual(attempt?.resource.file)
    })

    it('records a change once, however long a file takes to upload', async () => {
      useVirtualTime()
      const { service, caller, ref, entries } = await createRecordedVault()
      const content = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 11_000))
          controller.enqueue(bytes)
          controller.close()
        },
      })
      await service.attachFile(caller, { ...ref, name: 'x', content })
      expect(entries).toMatchObject([
        { result: 'PENDING' },
        { result: 'SUCCESS', durationMs: 11_000, resource: { itemVersion: 4 } },
      ])
    })

    it('records DENY without a version when the retry is rejected', async () => {
      const { service, concurrent, caller, ref, entries, interruptWith } =
        await createInterruptibleVault()
      interruptWith(() => concurrent.deleteItem(caller, ref))
      await expect(service.patchItem(caller, { ...ref, patch })).rejects.toThrow('not found')
      expect(entries.map(({ result }) => result)).toEqual(['PENDING', 'DENY'])
      const { vaultId, itemId } = ref
      expect(entries[1]?.resource).toEqual({
        type: 'ITEM',
        vault: { id: vaultId },
        item: { id: itemId },
      })
    })

    it('records DENY for an item that is deleted again with its vault', async () => {
      const { service, concurrent, caller, vaultId, entries, interruptWith } =
        await createInterruptibleVault()
      interruptWith(() => concurrent.deleteVault(caller, { vaultId }))
      const created = service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
      await expect(created).rejects.toThrow('not found')
      expect(entries.map(({ result, code }) => [result, code])).toEqual([
        ['PENDING', undefined],
        ['DENY', 'NOT_FOUND'],
      ])
      expect(entries[1]?.resource).not.toHaveProperty('itemVersion')
    })

    it('leaves the entry pending when deleteVault has deleted an item before it fails', async () => {
      const { service, concurrent, caller, vaultId, entries, interruptWith } =
        await createInterruptibleVault()
      interruptWith(async () => {
        interruptWith(() => concurrent.deleteVault(caller, { vaultId }))
      })
      await expect(service.deleteVault(caller, { vaultId })).rejects.toThrow('not found')
      expect(entries).toMatchObject([{ result: 'PENDING', resource: { vault: { id: vaultId } } }])
      expect(entries[0]?.resource).not.toHaveProperty('item')
    })
  })

  describe('when the store fails', () => {
    it.each([
      ['get', 'fail-before', ['DENY']],
      ['put', 'fail-before', ['PENDING']],
      ['put', 'fail-after', ['PENDING']],
    ] as const)('records a change whose %s does %s as %j', async (method, fault, results) => {
      let isBroken = false
      const store = createFaultyStore(createMemoryStore(), (call) =>
        isBroken && call.method === method ? fault : undefined,
      )
      const { service, caller, ref, entries } = await createRecordedVault({ store })
      isBroken = true
      const patch = [{ op: 'add', path: '/title', value: 'x' }] as const
      await expect(service.patchItem(caller, { ...ref, patch })).rejects.toThrow('the store failed')
      expect(entries.map(({ result }) => result)).toEqual(results)
    })
  })

  describe('when around throws after the call', () => {
    /** A vault whose `around` rejects every call of an operation once it has been made. */
    const createRefusingVault = (refused: string) =>
      createRecordedVault({
        around: async ({ operation }, next) => {
          await next()
          if (operation === refused) throw new TooManyRequestsError('slow down')
        },
      })

    it('records the change, which was made', async () => {
      const { service, caller, ref, entries } = await createRefusingVault('deleteItem')
      await expect(service.deleteItem(caller, ref)).rejects.toThrow('slow down')
      expect(entries).toMatchObject([
        { result: 'PENDING' },
        { result: 'SUCCESS', resource: { itemVersion: 3 } },
      ])
    })

    it('records DENY for a read, whose result is not returned', async () => {
      const { service, caller, vaultId, entries } = await createRefusingVault('getVault')
      await expect(service.getVault(caller, { vaultId })).rejects.toThrow('slow down')
      expect(entries).toMatchObject([{ result: 'DENY', code: 'TOO_MANY_REQUESTS' }])
    })
  })
})
