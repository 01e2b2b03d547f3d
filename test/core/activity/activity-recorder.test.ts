import { describe, expect, it } from 'vitest'
import { operations } from '../../../src/core/operations.js'
import { createCaller, createVaultService, type VaultStore } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createFaultyStore, createTestVault, noteDraft } from '../../../src/testing.js'
import { observedCalls, placeOf, recordedAs, spyLog } from '../../support/service/observed-calls.js'
import { callsWithBody, nowhere, vaultCalls } from '../../support/service/vault-calls.js'

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const otherVault = createCaller('otherVault', {})

/** A test vault, and what is recorded from now on. */
async function recordedVault(options: Parameters<typeof createTestVault>[0] = {}) {
  const log = spyLog()
  const vault = await createTestVault({ activity: log, ...options })
  log.told.length = 0
  return { ...vault, place: placeOf(vault), told: log.told }
}

/** A store before whose next put of an item somebody else does `rival`. */
function overtaken(): { store: VaultStore; overtake(rival: () => Promise<unknown>): void } {
  const { records, blobs } = createMemoryStore()
  let next: (() => Promise<unknown>) | undefined
  const first = async (collection: string): Promise<void> => {
    const rival = /^items|^vaults/.test(collection) ? next : undefined
    if (rival === undefined) return
    next = undefined
    await rival()
  }
  return {
    store: {
      records: {
        ...records,
        put: async (key, record, seen) => {
          await first(key.collection)
          return records.put(key, record, seen)
        },
        delete: async (key, seen) => {
          await first(key.collection)
          return records.delete(key, seen)
        },
      },
      blobs,
    },
    overtake: (rival) => {
      next = rival
    },
  }
}

/** A vault where somebody else is faster once, and the service of that somebody. */
async function overtakenVault() {
  const { store, overtake } = overtaken()
  const vault = await recordedVault({ store })
  return { ...vault, overtake, rival: createVaultService({ store }) }
}

describe('an entry', () => {
  const given = '123e4567-e89b-12d3-a456-426614174000'

  it.each([given, 'request-1', 'a', 'x'.repeat(128), 'A.b_c-1'])(
    'has a request id of its own beside that of the client: %s',
    async (requestId) => {
      const { service, caller, place: ref, told } = await recordedVault()
      await service.getItem({ ...caller, client: { requestId } }, ref)
      expect(told).toMatchObject([
        { requestId: expect.stringMatching(uuid), clientRequestId: requestId },
      ])
      expect(told[0]?.requestId).not.toBe(requestId)
    },
  )

  it.each(['', 'x'.repeat(129), 'a b', 'a\n', 'é', '"'])(
    'has no id of the client that is not 1 to 128 letters, digits and marks: %j',
    async (requestId) => {
      const { service, caller, place: ref, told } = await recordedVault()
      await service.getItem({ ...caller, client: { requestId } }, ref)
      await service.getItem(caller, ref)
      for (const entry of told) expect(entry).not.toHaveProperty('clientRequestId')
    },
  )

  it('tells the calls of a client apart that always sends the same id', async () => {
    const { service, caller, place: ref, told } = await recordedVault()
    const same = { ...caller, origin: { requestId: given } }
    await service.patchItem(same, {
      ...ref,
      patch: [{ op: 'add', path: '/title', value: 'Mine' }],
    })
    await expect(service.deleteItem(same, { ...ref, ifVersion: 99 })).rejects.toThrow()
    expect(told.map(({ result }) => result)).toEqual(['SUCCESS', 'DENY'])
    expect(told[0]?.requestId).not.toBe(told[1]?.requestId)
  })

  it('is one line of text, whatever the client says of itself', async () => {
    const { service, caller, place: ref, told } = await recordedVault()
    const forged = 'a\nb\r\u2028c\u2029d\u001be\u009bf\u202eg\u0000h\ud800'
    await service.getItem({ ...caller, client: { userAgent: forged, requestIp: '1\n2' } }, ref)
    expect(told[0]?.actor).toMatchObject({ userAgent: 'a b  c d e f g h ', requestIp: '1 2' })
  })

  it('escapes what is invisible in the id and jti of a caller, and tells all ids apart', async () => {
    const { service, caller, place: ref, told } = await recordedVault()
    const ids = [
      'm\nalice',
      'm\\u{a}alice',
      'm alice',
      'm\\u000aalice',
      'A\\user',
      '\u2028\ud800é👍',
    ]
    for (const id of ids) await service.getItem({ ...caller, id, tokenId: id }, ref)
    const recorded = told.map(({ actor }) => actor.id)
    expect(recorded).toEqual([
      'm\\u{a}alice',
      'm\\u{5c}u{a}alice',
      'm alice',
      'm\\u000aalice',
      'A\\user',
      '\\u{2028}\\u{d800}é👍',
    ])
    expect(told.map(({ actor }) => actor.jti)).toEqual(recorded)
  })

  it('says that a call was denied which fails because the store does', async () => {
    const activity = spyLog()
    const { store, caller, place: ref } = await recordedVault()
    const service = createVaultService({
      store: createFaultyStore(store, () => 'fail-before'),
      activity,
    })
    await expect(service.getItem(caller, ref)).rejects.toThrow('the store failed')
    expect(activity.told).toMatchObject([{ result: 'DENY' }])
  })
})

describe('an operation that succeeds', () => {
  it('is among those that are tried here, whichever it is', () => {
    const names = observedCalls.map(({ name }) => name)
    expect(names.toSorted()).toEqual(Object.keys(operations).toSorted())
  })

  it.each(observedCalls)('is recorded as what it is: $name', async ({ name, run }) => {
    const { service, caller, place: ref, told } = await recordedVault()
    await run(service, caller, ref)
    const [action, type, named, itemVersion] = recordedAs[name]
    const vaultId = name === 'createVault' ? 'n'.repeat(26) : ref.vaultId
    const item = { id: name === 'createItem' ? expect.stringMatching(/^.{26}$/) : ref.itemId }
    const entry = (resource: object) => ({
      requestId: expect.stringMatching(uuid),
      timestamp: '2026-01-01T00:00:00.000Z',
      action,
      result: 'SUCCESS',
      actor: { id: 'tester' },
      resource,
    })
    const vault = { id: vaultId }
    const emptied = entry({ type: 'ITEM', vault, item, itemVersion: 3 })
    expect(told).toEqual([
      entry({
        type,
        ...(named !== 'nothing' && { vault }),
        ...(named === 'item' && { item }),
        ...(itemVersion !== undefined && { itemVersion }),
      }),
      ...(name === 'deleteVault' ? [emptied] : []),
    ])
    expect(new Set(told.map(({ requestId }) => requestId)).size).toBe(1)
  })

  it('records each item that getItems answers, and the vault where it answers none', async () => {
    const { service, caller, vaultId, item, told } = await recordedVault()
    const other = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    told.length = 0
    const itemIds = [other.id, nowhere.itemId, item.id]
    await service.getItems(caller, { vaultId, itemIds })
    await service.getItems(caller, { vaultId, itemIds: [nowhere.itemId] })
    expect(told.map(({ resource }) => resource)).toEqual([
      { type: 'ITEM', vault: { id: vaultId }, item: { id: other.id }, itemVersion: 1 },
      { type: 'ITEM', vault: { id: vaultId }, item: { id: item.id }, itemVersion: 3 },
      { type: 'ITEM', vault: { id: vaultId } },
    ])
  })

  it('is recorded as one that reads the version where there is nothing to change', async () => {
    const { service, caller, vaultId, item, told } = await recordedVault()
    await service.patchItem(caller, { vaultId, itemId: item.id, patch: [] })
    expect(told).toMatchObject([{ action: 'UPDATE', resource: { itemVersion: 3 } }])
  })
})

describe('an operation that is refused', () => {
  const denied = (name: string, resource: object) => ({
    action: recordedAs[name as 'getItem'][0],
    result: 'DENY',
    resource: { type: recordedAs[name as 'getItem'][1], ...resource },
  })
  const named = (names: string, { vaultId, itemId }: typeof nowhere): object => ({
    vault: { id: vaultId },
    ...(names !== 'vault' && { item: { id: itemId } }),
  })

  it.each(observedCalls)('is recorded when nobody asks: $name', async ({ run }) => {
    const { service, place: ref, told } = await recordedVault()
    await expect(run(service, undefined, ref)).rejects.toMatchObject({ status: 401 })
    expect(told).toMatchObject([{ result: 'DENY', actor: { id: '' } }])
  })

  it.each(vaultCalls)('is recorded without the right: $name', async ({ name, names, run }) => {
    const { service, place: ref, told } = await recordedVault()
    await expect(run(service, otherVault, ref)).rejects.toMatchObject({ status: 403 })
    expect(told).toMatchObject([
      { ...denied(name, named(names, ref)), actor: { id: 'otherVault' } },
    ])
    expect(told[0]?.resource).not.toHaveProperty('itemVersion')
  })

  it.each(vaultCalls)('is recorded without what is no id: $name', async ({ name, run }) => {
    const { service, caller, place: ref, told } = await recordedVault()
    const malformed = { vaultId: 'Invented', itemId: 'Invented', fileId: 'Invented' }
    const status = name === 'getFileDetails' ? 404 : 400
    await expect(run(service, caller, malformed)).rejects.toMatchObject({ status })
    await run(service, caller, { ...ref, itemId: 'Invented' }).catch(() => undefined)
    expect(told[0]).toMatchObject(denied(name, {}))
    expect(JSON.stringify(told)).not.toContain('Invented')
  })

  it.each(callsWithBody)('is recorded for its body: $name', async ({ name, names, runBadBody }) => {
    const { service, caller, place: ref, told } = await recordedVault()
    await expect(runBadBody(service, caller, ref)).rejects.toMatchObject({ status: 400 })
    expect(told).toMatchObject([denied(name, named(names, ref))])
  })

  it.each(vaultCalls)('is recorded where nothing is: $name', async ({ name, names, run }) => {
    const { service, caller, told } = await recordedVault()
    await expect(run(service, caller, nowhere)).rejects.toMatchObject({ status: 404 })
    expect(told).toMatchObject([denied(name, named(names, nowhere))])
  })

  it('is recorded when the version is another', async () => {
    const { service, caller, vaultId, place: ref, told } = await recordedVault()
    const ifVersion = 99
    const calls = {
      updateVault: () => service.updateVault(caller, { vaultId, name: 'x', ifVersion }),
      replaceItem: () =>
        service.replaceItem(caller, { ...ref, item: noteDraft(vaultId), ifVersion }),
      patchItem: () => service.patchItem(caller, { ...ref, patch: [], ifVersion }),
      deleteItem: () => service.deleteItem(caller, { ...ref, ifVersion }),
      setItemState: () => service.setItemState(caller, { ...ref, state: 'ARCHIVED', ifVersion }),
      removeFile: () => service.removeFile(caller, { ...ref, ifVersion }),
      restoreVersion: () => service.restoreVersion(caller, { ...ref, version: 3, ifVersion }),
    }
    for (const [name, call] of Object.entries(calls)) {
      told.length = 0
      await expect(call()).rejects.toMatchObject({ status: 412 })
      expect(told).toMatchObject([denied(name, {})])
      expect(told[0]?.resource).not.toHaveProperty('itemVersion')
    }
  })
})

describe('a change that somebody else comes before', () => {
  const patch = [{ op: 'add', path: '/title', value: 'Mine' }] as const

  it('records each version that it tries, in one request', async () => {
    const { service, rival, caller, place: ref, told, overtake } = await overtakenVault()
    overtake(() => rival.patchItem(caller, { ...ref, patch }))
    await service.patchItem(caller, { ...ref, patch })
    expect(told).toMatchObject([
      { result: 'SUCCESS', resource: { itemVersion: 4 } },
      { result: 'SUCCESS', resource: { itemVersion: 5 } },
    ])
    expect(told[0]?.requestId).toBe(told[1]?.requestId)
  })

  it('records what is answered instead, when there is nothing left to change', async () => {
    const { service, rival, caller, place: ref, told, overtake } = await overtakenVault()
    overtake(async () => {
      await rival.patchItem(caller, { ...ref, patch })
      await rival.setItemState(caller, { ...ref, state: 'ARCHIVED' })
    })
    await service.setItemState(caller, { ...ref, state: 'ARCHIVED' })
    expect(told.map(({ resource }) => resource.itemVersion)).toEqual([4, 5])
  })

  it('ends with DENY, of no version, when it is refused after all', async () => {
    const { service, rival, caller, place: ref, told, overtake } = await overtakenVault()
    overtake(() => rival.deleteItem(caller, ref))
    await expect(service.patchItem(caller, { ...ref, patch })).rejects.toThrow('not found')
    expect(told.map(({ result }) => result)).toEqual(['SUCCESS', 'DENY'])
    const { vaultId, itemId } = ref
    expect(told[1]?.resource).toEqual({
      type: 'ITEM',
      vault: { id: vaultId },
      item: { id: itemId },
    })
  })

  it('ends with DENY of the vault when that is gone, whatever was removed from it before', async () => {
    const { service, rival, caller, vaultId, item, told, overtake } = await overtakenVault()
    overtake(async () => {
      overtake(() => rival.deleteVault(caller, { vaultId }))
    })
    await expect(service.deleteVault(caller, { vaultId })).rejects.toThrow('not found')
    const vault = { id: vaultId }
    expect(told.map(({ result, resource }) => [result, resource])).toEqual([
      ['SUCCESS', { type: 'VAULT', vault }],
      ['SUCCESS', { type: 'ITEM', vault, item: { id: item.id }, itemVersion: 3 }],
      ['DENY', { type: 'VAULT', vault }],
    ])
  })
})

describe('an operation whose store fails', () => {
  it.each([
    ['is denied where it only reads', 'get', ['DENY']],
    ['is left open where the change may have been made', 'put', ['SUCCESS']],
  ])('%s', async (_, method, results) => {
    let isBroken = false
    const store = createFaultyStore(createMemoryStore(), (call) =>
      isBroken && call.method === method ? 'fail-after' : undefined,
    )
    const { service, caller, place: ref, told } = await recordedVault({ store })
    isBroken = true
    const patch = [{ op: 'add', path: '/title', value: 'x' }] as const
    await expect(service.patchItem(caller, { ...ref, patch })).rejects.toThrow('the store failed')
    expect(told.map(({ result }) => result)).toEqual(results)
  })
})
