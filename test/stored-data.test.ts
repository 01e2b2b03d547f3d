import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createStoredActivityLog } from '../src/activity.js'
import { type CredentialView, createCredentials } from '../src/credentials.js'
import {
  createCaller,
  createVaultService,
  type Item,
  type ItemRef,
  type VaultStore,
} from '../src/index.js'
import { createTokenKeeper, vaultGrants } from '../src/oauth.js'
import { createEncryptedStore, createLocalKeyProvider } from '../src/storage/encrypted.js'
import { createMemoryStore } from '../src/storage/memory.js'

interface StoredWorld {
  readonly vault: { readonly id: string }
  readonly items: readonly Item[]
  readonly versions: readonly { readonly version: number }[]
  readonly oldVersion: Item
  readonly credentials: readonly CredentialView[]
  /** The item of an OAuth grant. */
  readonly grant: ItemRef
  /** How many entries of the activity log the vault has. */
  readonly calls: number
  readonly records: readonly {
    readonly collection: string
    readonly id: string
    readonly version: number
    readonly indexKey?: string
    readonly body: string
  }[]
  readonly blobs: readonly { readonly id: string; readonly body: string }[]
}

const read = (version: string): { key: string; plain: StoredWorld; encrypted: StoredWorld } =>
  JSON.parse(readFileSync(new URL(`vectors/stored/${version}.json`, import.meta.url), 'utf8'))

/** Stores the records and blobs as they are in the file. */
async function restore({ records, blobs }: StoredWorld): Promise<VaultStore> {
  const store = createMemoryStore()
  for (const { collection, id, version, indexKey, body } of records) {
    const record = { body: Buffer.from(body, 'base64'), ...(indexKey && { indexKey }) }
    for (let before = 0; before < version; before++)
      await store.records.put({ collection, id }, record, before)
  }
  for (const { id, body } of blobs) await store.blobs.write(id, Buffer.from(body, 'base64'))
  return store
}

describe('data that an earlier version has stored', () => {
  const versions = ['0.1']
  const kinds = ['plain', 'encrypted'] as const
  const cases = versions.flatMap((version) => kinds.map((kind) => [version, kind] as const))

  it.each(cases)('of %s, %s, is read, found and changed', async (version, kind) => {
    const { key, [kind]: world } = read(version)
    const inner = await restore(world)
    const keys = createLocalKeyProvider({ key: Buffer.from(key, 'base64') })
    const store = kind === 'plain' ? inner : createEncryptedStore(inner, { keys })
    const activity = createStoredActivityLog(store)
    const service = createVaultService({ store, activity, history: { maxVersions: 2 } })
    const caller = createCaller({ id: 'later', vaults: '*' })
    const vaultId = world.vault.id

    expect(await service.getVault(caller, { vaultId })).toEqual(world.vault)
    const items = await Promise.all(
      world.items.map(({ id: itemId }) => service.getItem(caller, { vaultId, itemId })),
    )
    expect(items).toEqual(world.items)
    const login = items.find(({ files }) => files.length > 0)
    if (login === undefined) throw new Error('the login is missing')
    const itemId = login.id
    for (const [title = '', ignoreCase] of [
      [login.title, false],
      [login.title?.toUpperCase(), true],
    ] as const) {
      const list = { vaultId, filter: `title eq "${title}"`, ignoreCase }
      expect((await service.listItems(caller, list)).map(({ id }) => id)).toContain(itemId)
    }
    for (const { id: fileId, size } of login.files) {
      const { content = '' } = await service.getFileDetails(caller, {
        ...{ vaultId, itemId, fileId },
        inlineFiles: true,
      })
      expect(Buffer.from(content, 'base64').length).toBe(size)
    }
    expect(await service.listVersions(caller, { vaultId, itemId })).toEqual(world.versions)
    const { version: oldVersion } = world.oldVersion
    expect(await service.getVersion(caller, { vaultId, itemId, version: oldVersion })).toEqual(
      world.oldVersion,
    )

    const { entries } = await service.listActivity(caller, { vaultId, limit: 1000 })
    const stored = entries.filter(({ actor }) => actor.id !== 'later')
    expect(stored).toHaveLength(world.calls)
    const results = new Set(stored.map(({ result }) => result))
    expect([...results].sort()).toEqual(['DENY', 'SUCCESS'])

    const credentials = createCredentials(service, {
      stripe: { fields: { key: {} } },
    })
    const ofVault = credentials.of(caller, vaultId)
    // Later versions have further members in views.
    expect(await ofVault.list()).toMatchObject(world.credentials)
    expect(await ofVault.reveal('stripe', 'key', { account: 'eu' })).toBe('sk_live_0123456789')
    const leases = store.records
    const refresh = async () => ({ accessToken: 'later', expiresInSeconds: 3600 })
    const grants = vaultGrants(service, caller)
    const keeper = createTokenKeeper({ grants, leases, refresh })
    expect(await keeper.accessToken(world.grant, caller)).toBe('later')
    await keeper.close()

    const patch = [{ op: 'replace', path: '/fields/password/value', value: 'later' }] as const
    const patched = await service.patchItem(caller, { vaultId, itemId, patch })
    expect(patched).toMatchObject({ version: login.version + 1, lastEditedBy: 'later' })
    await service.deleteVault(caller, { vaultId })
    // Of items whose ids were chosen, tombstones stay.
    for (const { id } of await inner.records.list(`items/${vaultId}`, { limit: 99 }))
      expect(id).toMatch(/^[2-7a-z]/)
  })
})
