import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Caller,
  createCaller,
  createVaultService,
  type ItemDraft,
  type PatchOperation,
} from '../../src/index.js'
import { createFaultyStore, createTestVault, noteDraft } from '../../src/testing.js'
import {
  forbidden,
  invalid,
  notFound,
  type Refusal,
  staleVersion,
  unauthorized,
} from '../support/service/rejections.js'
import { callsWithBody, nowhere, vaultCalls } from '../support/service/vault-calls.js'
import { recordingStore } from '../support/stores/stores.js'

const nobody = undefined
const everyone = createCaller('tester', '*')
const otherVault = createCaller('otherVault', {})
const malformed = { vaultId: 'Nowhere', itemId: 'Nothing', fileId: 'none' }
const store = recordingStore()
const service = createVaultService({ store })
beforeEach(() => {
  store.calls.length = 0
})

const ofItems = vaultCalls.filter(({ names }) => names !== 'vault')
const ofFiles = vaultCalls.filter(({ names }) => names === 'file')
// The contract lists no 400 for the file route: there a malformed id is only not found.
const refusing400 = ({ name }: { readonly name: string }) => name !== 'getFileDetails'

describe('the order of checks, first before any storage', () => {
  it.each(vaultCalls)(
    '$name: nobody asks (401) before the vault id is malformed (400)',
    async ({ run }) => {
      await expect(run(service, nobody, malformed)).rejects.toMatchObject(unauthorized)
      expect(store.calls).toEqual([])
    },
  )

  it.each(vaultCalls.filter(refusing400))(
    '$name: a malformed vault id (400) before the missing right (403)',
    async ({ run }) => {
      await expect(run(service, otherVault, malformed)).rejects.toMatchObject(
        invalid('Invalid Vault UUID'),
      )
      expect(store.calls).toEqual([])
    },
  )

  it.each(ofItems.filter(refusing400))(
    '$name: a malformed item id (400) before the missing right (403)',
    async ({ run }) => {
      const ref = { ...nowhere, itemId: 'Nothing' }
      await expect(run(service, otherVault, ref)).rejects.toMatchObject(
        invalid('Invalid Item UUID'),
      )
      expect(store.calls).toEqual([])
    },
  )

  it('getFileDetails: the missing right (403) before malformed ids (404), before any storage', async () => {
    const { vaultId } = nowhere
    const get = (caller: Caller, ref: object) =>
      service.getFileDetails(caller, { ...malformed, ...ref })
    await expect(get(otherVault, {})).rejects.toMatchObject(forbidden('Nowhere'))
    await expect(get(otherVault, { vaultId })).rejects.toMatchObject(forbidden(vaultId))
    await expect(get(everyone, {})).rejects.toMatchObject(notFound('file', 'none'))
    await expect(get(everyone, { vaultId })).rejects.toMatchObject(notFound('file', 'none'))
    const inlineFiles = 'yes' as never
    await expect(get(everyone, { inlineFiles })).rejects.toMatchObject(
      invalid('inlineFiles must be a boolean'),
    )
    expect(store.calls).toEqual([])
  })

  it.each(callsWithBody)(
    '$name: the missing right (403) before the bad body (400)',
    async ({ runBadBody }) => {
      await expect(runBadBody(service, otherVault, nowhere)).rejects.toMatchObject(
        forbidden(nowhere.vaultId),
      )
      expect(store.calls).toEqual([])
    },
  )

  it.each(callsWithBody)(
    '$name: the bad body (400) before the absent vault (404)',
    async ({ runBadBody }) => {
      await expect(runBadBody(service, everyone, nowhere)).rejects.toMatchObject(invalid())
      expect(store.calls).toEqual([])
    },
  )

  it('attachFile: content that is no bytes (400) before the absent vault (404)', async () => {
    const input = { ...nowhere, name: 'file', content: 'text' as unknown as Uint8Array }
    await expect(service.attachFile(everyone, input)).rejects.toMatchObject(
      invalid('content must be bytes or a stream of bytes'),
    )
    expect(store.calls).toEqual([])
  })

  it('attachFile: a malformed file id (400) before the absent vault (404)', async () => {
    const input = { ...nowhere, name: 'file', content: Uint8Array.of(1), fileId: 'none' }
    await expect(service.attachFile(everyone, input)).rejects.toMatchObject(invalid())
    expect(store.calls).toEqual([])
  })

  it('createVault: nobody (401), then the id (400), then the right (403), then the name (400)', async () => {
    const at = (vaultId: string, name: string) => ({ vaultId, name })
    const { vaultId } = nowhere
    await expect(service.createVault(nobody, at('x', ''))).rejects.toMatchObject(unauthorized)
    await expect(service.createVault(otherVault, at('x', ''))).rejects.toMatchObject(
      invalid('Invalid Vault UUID'),
    )
    await expect(service.createVault(otherVault, at(vaultId, ''))).rejects.toMatchObject(
      forbidden(vaultId),
    )
    await expect(service.createVault(everyone, at(vaultId, ''))).rejects.toMatchObject(invalid())
    expect(store.calls).toEqual([])
  })
})

describe('the order of checks, then what is there', () => {
  it.each(vaultCalls)(
    '$name: the absent vault before all it should hold (404)',
    async ({ name, run }) => {
      const named = namedFor(name) ?? notFound('vault', nowhere.vaultId)
      await expect(run(service, everyone, nowhere)).rejects.toMatchObject(named)
    },
  )

  it.each(ofItems)('$name: the absent item before its file (404)', async ({ name, run }) => {
    const vault = await createTestVault()
    const ref = { ...nowhere, vaultId: vault.vaultId }
    const named = namedFor(name) ?? notFound('item', nowhere.itemId)
    await expect(run(vault.service, everyone, ref)).rejects.toMatchObject(named)
  })

  it.each(ofFiles)('$name: the malformed file id last (404)', async ({ name, run }) => {
    const { service, vaultId, item } = await createTestVault()
    const at = (ref: object) => run(service, everyone, { ...nowhere, ...ref, fileId: 'a b' })
    const named = name === 'getFileDetails' ? { message: 'file not found' } : undefined
    await expect(at({})).rejects.toMatchObject(named ?? notFound('vault', nowhere.vaultId))
    await expect(at({ vaultId })).rejects.toMatchObject(named ?? notFound('item', nowhere.itemId))
    await expect(at({ vaultId, itemId: item.id })).rejects.toMatchObject({
      status: 404,
      message: 'file not found',
    })
  })
})

/** What is named, whatever is missing; undefined for operations that name what is missing (contract, section 7). */
function namedFor(name: string): Refusal | undefined {
  if (name === 'patchItem') return notFound('item', nowhere.itemId)
  return name === 'getFileDetails' ? notFound('file', nowhere.fileId) : undefined
}

describe('the order of checks, last the rules of items', () => {
  const doubled = (vaultId: string): ItemDraft =>
    noteDraft(vaultId, {
      fields: [
        { id: 'a', label: 'A' },
        { id: 'a', label: 'A' },
      ],
    })
  const lost: readonly PatchOperation[] = [{ op: 'remove', path: '/fields/absent' }]
  const referring = (vaultId: string): ItemDraft => noteDraft(vaultId, { fields: [{ id: 'lost' }] })

  it('createItem: the absent vault (404) before a doubled field id (400)', async () => {
    const { vaultId } = nowhere
    await expect(
      service.createItem(everyone, { vaultId, item: doubled(vaultId) }),
    ).rejects.toMatchObject(notFound('vault', vaultId))
  })

  it.each([
    ['replaceItem, a doubled field id', doubled, undefined],
    ['replaceItem, a reference to no field', referring, undefined],
    ['patchItem, an absent field', undefined, lost],
  ])(
    '%s: the absent item (404), then the rule (400), then the version (412)',
    async (_, draft, patch) => {
      const { service, vaultId, item } = await createTestVault()
      const run = (itemId: string) =>
        draft
          ? service.replaceItem(everyone, { vaultId, itemId, item: draft(vaultId), ifVersion: 99 })
          : service.patchItem(everyone, { vaultId, itemId, patch: patch ?? [], ifVersion: 99 })
      await expect(run(nowhere.itemId)).rejects.toMatchObject(notFound('item', nowhere.itemId))
      await expect(run(item.id)).rejects.toMatchObject(invalid())
    },
  )

  it('attachFile: the absent item (404) before the absent section (400)', async () => {
    const { service, vaultId, item } = await createTestVault()
    const attach = (itemId: string) =>
      service.attachFile(everyone, {
        vaultId,
        itemId,
        name: 'file',
        content: Uint8Array.of(1),
        sectionId: 'absent',
      })
    await expect(attach(nowhere.itemId)).rejects.toMatchObject(notFound('item', nowhere.itemId))
    await expect(attach(item.id)).rejects.toMatchObject(
      invalid('sectionId must be the id of a section of the item'),
    )
  })

  it('a stale version (412) before a lost race (409), without a put', async () => {
    const { store, vaultId, item } = await createTestVault()
    const refusing = recordingStore(
      createFaultyStore(store, ({ method }) => (method === 'put' ? 'conflict' : undefined)),
    )
    const change = createVaultService({ store: refusing }).patchItem(everyone, {
      vaultId,
      itemId: item.id,
      patch: [{ op: 'replace', path: '/title', value: 'x' }],
      ifVersion: 99,
    })
    await expect(change).rejects.toMatchObject(staleVersion(item.id))
    expect(refusing.calls).toEqual(['records.get'])
  })
})
