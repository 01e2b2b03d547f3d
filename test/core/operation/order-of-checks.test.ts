import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Caller,
  createCaller,
  createVaultService,
  type ItemDraft,
  type PatchOperation,
} from '../../../src/index.js'
import { createFaultyStore, createTestVault } from '../../../src/testing.js'
import { noteDraft } from '../../support/drafts.js'
import {
  type ExpectedError,
  forbidden,
  invalid,
  notFound,
  unauthorized,
  versionMismatch,
} from '../../support/service/rejections.js'
import { callsWithBody, missingRef, vaultCalls } from '../../support/service/vault-calls.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const noCaller = undefined
const fullAccess = createCaller({ id: 'tester', vaults: '*' })
const noAccess = createCaller({ id: 'no access', vaults: {} })
const malformed = { vaultId: 'Nowhere', itemId: 'Nothing', fileId: 'none' }
const store = createRecordingStore()
const service = createVaultService({ store })
beforeEach(() => {
  store.calls.length = 0
})

const itemCalls = vaultCalls.filter(({ names }) => names !== 'vault')
const fileCalls = vaultCalls.filter(({ names }) => names === 'file')
// The contract lists no 400 for the file route, where a malformed id is 404.
const canReject400 = ({ name }: { readonly name: string }) => name !== 'getFileDetails'

describe('createVaultService: order of checks before any store call', () => {
  it.each(vaultCalls)(
    '$name: missing caller (401) before malformed vault id (400)',
    async ({ run }) => {
      await expect(run(service, noCaller, malformed)).rejects.toMatchObject(unauthorized)
      expect(store.calls).toEqual([])
    },
  )

  it.each(vaultCalls.filter(canReject400))(
    '$name: malformed vault id (400) before missing permission (403)',
    async ({ run }) => {
      await expect(run(service, noAccess, malformed)).rejects.toMatchObject(
        invalid('vaultId must be an id: 26 characters of a-z and 0-9'),
      )
      expect(store.calls).toEqual([])
    },
  )

  it.each(itemCalls.filter(canReject400))(
    '$name: malformed item id (400) before missing permission (403)',
    async ({ run }) => {
      const ref = { ...missingRef, itemId: 'Nothing' }
      await expect(run(service, noAccess, ref)).rejects.toMatchObject(
        invalid('itemId must be an id: 26 characters of a-z and 0-9'),
      )
      expect(store.calls).toEqual([])
    },
  )

  it('getFileDetails: missing permission (403) before malformed ids (404)', async () => {
    const { vaultId } = missingRef
    const get = (caller: Caller, ref: object) =>
      service.getFileDetails(caller, { ...malformed, ...ref })
    await expect(get(noAccess, {})).rejects.toMatchObject(forbidden('Nowhere'))
    await expect(get(noAccess, { vaultId })).rejects.toMatchObject(forbidden(vaultId))
    await expect(get(fullAccess, {})).rejects.toMatchObject(notFound('file', 'none'))
    await expect(get(fullAccess, { vaultId })).rejects.toMatchObject(notFound('file', 'none'))
    const inlineFiles = 'yes' as never
    await expect(get(fullAccess, { inlineFiles })).rejects.toMatchObject(
      invalid('inlineFiles must be a boolean'),
    )
    expect(store.calls).toEqual([])
  })

  it.each(callsWithBody)(
    '$name: missing permission (403) before invalid body (400)',
    async ({ runBadBody }) => {
      await expect(runBadBody(service, noAccess, missingRef)).rejects.toMatchObject(
        forbidden(missingRef.vaultId),
      )
      expect(store.calls).toEqual([])
    },
  )

  it.each(callsWithBody)(
    '$name: invalid body (400) before missing vault (404)',
    async ({ runBadBody }) => {
      await expect(runBadBody(service, fullAccess, missingRef)).rejects.toMatchObject(invalid())
      expect(store.calls).toEqual([])
    },
  )

  it('attachFile: content that is not bytes (400) before missing vault (404)', async () => {
    const input = { ...missingRef, name: 'file', content: 'text' as unknown as Uint8Array }
    await expect(service.attachFile(fullAccess, input)).rejects.toMatchObject(
      invalid('content must be bytes or a stream of bytes'),
    )
    expect(store.calls).toEqual([])
  })

  it('attachFile: malformed file id (400) before missing vault (404)', async () => {
    const input = { ...missingRef, name: 'file', content: Uint8Array.of(1), fileId: 'none' }
    await expect(service.attachFile(fullAccess, input)).rejects.toMatchObject(invalid())
    expect(store.calls).toEqual([])
  })

  it('createVault: caller (401), id (400), permission (403), name (400)', async () => {
    const inputOf = (vaultId: string, name: string) => ({ vaultId, name })
    const { vaultId } = missingRef
    await expect(service.createVault(noCaller, inputOf('x', ''))).rejects.toMatchObject(
      unauthorized,
    )
    await expect(service.createVault(noAccess, inputOf('x', ''))).rejects.toMatchObject(
      invalid('vaultId must be an id: 26 characters of a-z and 0-9'),
    )
    await expect(service.createVault(noAccess, inputOf(vaultId, ''))).rejects.toMatchObject(
      forbidden(vaultId),
    )
    await expect(service.createVault(fullAccess, inputOf(vaultId, ''))).rejects.toMatchObject(
      invalid(),
    )
    expect(store.calls).toEqual([])
  })
})

describe('createVaultService: order of checks of stored records', () => {
  it.each(vaultCalls)('$name: missing vault before its contents (404)', async ({ name, run }) => {
    const expected = fixedNotFound(name) ?? notFound('vault', missingRef.vaultId)
    await expect(run(service, fullAccess, missingRef)).rejects.toMatchObject(expected)
  })

  it.each(itemCalls)('$name: missing item before its file (404)', async ({ name, run }) => {
    const vault = await createTestVault()
    const ref = { ...missingRef, vaultId: vault.vaultId }
    const expected = fixedNotFound(name) ?? notFound('item', missingRef.itemId)
    await expect(run(vault.service, fullAccess, ref)).rejects.toMatchObject(expected)
  })

  it.each(fileCalls)('$name: malformed file id last (404)', async ({ name, run }) => {
    const { service, vaultId, item } = await createTestVault()
    const runAt = (ref: object) =>
      run(service, fullAccess, { ...missingRef, ...ref, fileId: 'a b' })
    const expected = name === 'getFileDetails' ? { message: 'file not found' } : undefined
    await expect(runAt({})).rejects.toMatchObject(expected ?? notFound('vault', missingRef.vaultId))
    await expect(runAt({ vaultId })).rejects.toMatchObject(
      expected ?? notFound('item', missingRef.itemId),
    )
    await expect(runAt({ vaultId, itemId: item.id })).rejects.toMatchObject({
      status: 404,
      message: 'file not found',
    })
  })
})

/**
 * The error of operations whose 404 always names the same resource. Undefined for operations that
 * name the missing one (contract, section 7).
 */
function fixedNotFound(name: string): ExpectedError | undefined {
  if (name === 'patchItem') return notFound('item', missingRef.itemId)
  return name === 'getFileDetails' ? notFound('file', missingRef.fileId) : undefined
}

describe('createVaultService: order of checks of item rules', () => {
  const duplicateIds = (vaultId: string): ItemDraft =>
    noteDraft(vaultId, {
      fields: [
        { id: 'a', label: 'A' },
        { id: 'a', label: 'A' },
      ],
    })
  const missingField: readonly PatchOperation[] = [{ op: 'remove', path: '/fields/absent' }]
  const missingReference = (vaultId: string): ItemDraft =>
    noteDraft(vaultId, { fields: [{ id: 'lost' }] })

  it('createItem: missing vault (404) before duplicate field id (400)', async () => {
    const { vaultId } = missingRef
    await expect(
      service.createItem(fullAccess, { vaultId, item: duplicateIds(vaultId) }),
    ).rejects.toMatchObject(notFound('vault', vaultId))
  })

  it.each([
    ['replaceItem, a duplicate field id', duplicateIds, undefined],
    ['replaceItem, a reference to a missing field', missingReference, undefined],
    ['patchItem, a missing field', undefined, missingField],
  ])('%s: missing item (404), then rule (400), then version (412)', async (_, draft, patch) => {
    const { service, vaultId, item } = await createTestVault()
    const run = (itemId: string) =>
      draft
        ? service.replaceItem(fullAccess, { vaultId, itemId, item: draft(vaultId), ifVersion: 99 })
        : service.patchItem(fullAccess, { vaultId, itemId, patch: patch ?? [], ifVersion: 99 })
    await expect(run(missingRef.itemId)).rejects.toMatchObject(notFound('item', missingRef.itemId))
    await expect(run(item.id)).rejects.toMatchObject(invalid())
  })

  it('attachFile: missing item (404) before missing section (400)', async () => {
    const { service, vaultId, item } = await createTestVault()
    const attach = (itemId: string) =>
      service.attachFile(fullAccess, {
        vaultId,
        itemId,
        name: 'file',
        content: Uint8Array.of(1),
        sectionId: 'absent',
      })
    await expect(attach(missingRef.itemId)).rejects.toMatchObject(
      notFound('item', missingRef.itemId),
    )
    await expect(attach(item.id)).rejects.toMatchObject(
      invalid('sectionId must be the id of a section of the item'),
    )
  })

  it('patchItem: stale version (412) before write conflict (409), without a put', async () => {
    const { store, vaultId, item } = await createTestVault()
    const conflicting = createRecordingStore(
      createFaultyStore(store, ({ method }) => (method === 'put' ? 'conflict' : undefined)),
    )
    const change = createVaultService({ store: conflicting }).patchItem(fullAccess, {
      vaultId,
      itemId: item.id,
      patch: [{ op: 'replace', path: '/title', value: 'x' }],
      ifVersion: 99,
    })
    await expect(change).rejects.toMatchObject(versionMismatch(item.id))
    expect(conflicting.calls).toEqual(['records.get'])
  })
})
