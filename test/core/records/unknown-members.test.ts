import { describe, expect, it } from 'vitest'
import { allKinds } from '../../../src/base/stored-records.js'
import { operations } from '../../../src/core/operations.js'
import { findItemId } from '../../../src/credentials/credential-item.js'
import { createCredentials } from '../../../src/credentials.js'
import type { RecordKey, VaultStore } from '../../../src/index.js'
import { createTokenKeeper, vaultGrants } from '../../../src/oauth.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { expectedEntry } from '../../support/service/observed-calls.js'
import { toCallRef } from '../../support/service/operation-examples.js'
import { type VaultCall, vaultCalls } from '../../support/service/vault-calls.js'

const later = { later: { nested: [1] } }
const hourMs = 3_600_000

/** Collections whose records this version rewrites without their unknown members, and why. */
const notKept: Readonly<Record<string, string>> = {
  activity: 'a call writes only its own entry, so it knows every member',
  leases: 'another form than the five states lapses, so that two processes never hold one lease',
  keys: 'a ring with anything that its MAC does not cover is refused, and not rewritten',
  seal: 'the same is true of the rings of a sealer',
  'health/activity': 'only its version is read',
  'copy/vaults': 'only its existence is read',
}

/** The collections of the test below. */
const kept = [
  ...['vaults', 'items/{vaultId}', 'versions/{vaultId}'],
  ...['pending-blobs/{vaultId}', 'credentials/{vaultId}'],
]

/** Adds an unknown member to each line of a stored record, as a later version could write it. */
async function addMember(
  store: VaultStore,
  key: RecordKey,
  members: object = later,
): Promise<void> {
  const record = await store.records.get(key)
  const lines = new TextDecoder().decode(record?.body).split('\n')
  const body = utf8(
    lines.map((line) => JSON.stringify({ ...JSON.parse(line), ...members })).join('\n'),
  )
  // Deleted and written again, so that the record keeps its version.
  const version = record?.version ?? 0
  await store.records.delete(key, version)
  for (let before = 0; before < version; before++) await store.records.put(key, { body }, before)
}

/** Returns the lines of a record. */
async function linesOf({ records }: VaultStore, key: RecordKey): Promise<readonly object[]> {
  const record = await records.get(key)
  const lines = new TextDecoder().decode(record?.body).split('\n')
  return lines.map((line) => JSON.parse(line))
}

async function expectKept(store: VaultStore, key: RecordKey, before: number): Promise<void> {
  const record = await store.records.get(key)
  expect(record?.version, 'the record is written').toBeGreaterThan(before)
  for (const line of await linesOf(store, key)) expect(line).toMatchObject(later)
}

const history = { maxVersions: 5 }
const itemKeyOf = ({ vaultId, item }: TestVault): RecordKey => ({
  collection: `items/${vaultId}`,
  id: item.id,
})

/** A vault with a version of its item that has an unknown member, and one that has none. */
async function createLaterVault(): Promise<TestVault> {
  const vault = await createTestVault({ history })
  await addMember(vault.store, itemKeyOf(vault))
  await addMember(vault.store, { collection: 'vaults', id: vault.vaultId })
  return vault
}

const updates = vaultCalls.filter(({ name }) => expectedEntry(name).action === 'UPDATE')
const ofItem = ({ name }: VaultCall): boolean => operations[name].activity?.[1] === 'ITEM'
const ofVault = ({ name }: VaultCall): boolean => expectedEntry(name).version === 2

describe('unknownMembersOf', () => {
  it('is tested for each collection, or the reason is given why members are not kept', () => {
    const collections = allKinds.map(({ collection }) => collection)
    expect([...kept, ...Object.keys(notKept)].sort()).toEqual(collections.sort())
  })

  it.each(updates.filter(ofItem))(
    'keeps the members of both lines of an item that $name changes',
    async ({ run }) => {
      const vault = await createLaterVault()
      await run(vault.service, vault.caller, toCallRef(vault))
      await expectKept(vault.store, itemKeyOf(vault), 3)
    },
  )

  it('keeps those of an item that restoreVersion restores to a version without them', async () => {
    const vault = await createTestVault({ history })
    const { service, caller, vaultId, item, store } = vault
    const ref = { vaultId, itemId: item.id }
    await service.patchItem(caller, { ...ref, patch: [{ op: 'add', path: '/title', value: 'x' }] })
    await addMember(store, itemKeyOf(vault))
    await service.restoreVersion(caller, { ...ref, version: 3 })
    await expectKept(store, itemKeyOf(vault), 4)
  })

  it.each(updates.filter(ofItem))(
    'keeps those of the version that $name archives',
    async (call) => {
      const vault = await createLaterVault()
      await call.run(vault.service, vault.caller, toCallRef(vault))
      const collection = `versions/${vault.vaultId}`
      const key = { collection, id: `${vault.item.id}.${'3'.padStart(10, '0')}` }
      for (const line of await linesOf(vault.store, key)) expect(line).toMatchObject(later)
    },
  )

  it.each(updates.filter(ofVault))('keeps those of a vault that $name changes', async ({ run }) => {
    const vault = await createLaterVault()
    await run(vault.service, vault.caller, toCallRef(vault))
    await expectKept(vault.store, { collection: 'vaults', id: vault.vaultId }, 1)
  })

  it('keeps those of fields that a patch does not change', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId, item, store } = vault
    const key = itemKeyOf(vault)
    const fields = item.fields.map((field) => ({ ...field, ...later }))
    await addMember(store, key, { fields })
    const patch = [{ op: 'add', path: '/title', value: 'x' }] as const
    await service.patchItem(caller, { vaultId, itemId: item.id, patch })
    const [, after] = await linesOf(store, key)
    expect(after).toMatchObject({ title: 'x', fields })
  })

  it('keeps those of a pending-blob record that collectGarbage marks as collected', async () => {
    const inner = createMemoryStore()
    let isLost = false
    const lost = () => Promise.reject(new Error('the connection was lost'))
    const store: VaultStore = {
      ...inner,
      blobs: { ...inner.blobs, write: (...call) => (isLost ? lost() : inner.blobs.write(...call)) },
    }
    const vault = await createTestVault({ store })
    isLost = true
    const { service, caller, clock, vaultId, item } = vault
    const file = { vaultId, itemId: item.id, name: 'a', content: utf8('a') }
    await service.attachFile(caller, file).catch(() => {})
    const collection = `pending-blobs/${vaultId}`
    const [pending] = await store.records.list(collection, { limit: 9 })
    const key = { collection, id: pending?.id ?? '' }
    await addMember(store, key)
    clock.advance(2 * hourMs)
    await service.collectGarbage(caller, { vaultId })
    await expectKept(store, key, 1)
    expect(await linesOf(store, key)).toMatchObject([{ collected: true }])
  })

  it('keeps those of a credential and its record when it is verified, saved and saved again', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId, store } = vault
    let isAccepted = true
    const kinds = { stripe: { fields: { key: {} }, verify: async () => isAccepted } }
    const own = createCredentials(service, kinds).of(caller, vaultId)
    await own.save('stripe', { key: 'a' })
    const id = await findItemId(vaultId, 'stripe', undefined)
    const record = { collection: `credentials/${vaultId}`, id }
    const item = { collection: `items/${vaultId}`, id }
    for (const key of [record, item]) await addMember(store, key)
    isAccepted = false
    await own.verify('stripe')
    await expectKept(store, item, 1)
    isAccepted = true
    await own.save('stripe', { key: 'b' })
    await expectKept(store, item, 2)
    // Only the next credential with this name writes the record.
    await own.remove('stripe')
    await own.save('stripe', { key: 'c' })
    await expectKept(store, record, 1)
  })

  it('keeps those of an OAuth grant that is refreshed and saved again', async () => {
    const { service, caller, vaultId, store } = await createTestVault()
    const refresh = async () => ({ accessToken: 'new', expiresInSeconds: 0 })
    const grants = vaultGrants(service, caller)
    const keeper = createTokenKeeper({ grants, leases: store.records, refresh })
    const grant = { name: 'mail', accessToken: 'old', refreshToken: 'r', expiresInSeconds: 0 }
    const ref = await grants.save(vaultId, grant)
    const key = { collection: `items/${vaultId}`, id: ref.itemId }
    await addMember(store, key)
    await keeper.accessToken(ref, caller)
    await expectKept(store, key, 1)
    await grants.save(vaultId, { ...grant, accessToken: 'newer' })
    await expectKept(store, key, 2)
    await keeper.close()
  })
})
