/**
 * Writes test/vectors/stored/<version>.json: everything that a service of this version stores, which
 * every later version must read. Run it once, when the version is released: `npm run vector -- 0.1`.
 */

import { writeFileSync } from 'node:fs'
import { createStoredActivityLog } from '../../src/activity.js'
import { createCredentials } from '../../src/credentials.js'
import { createCaller, createVaultService, type VaultStore } from '../../src/index.js'
import { createTokenKeeper, vaultGrants } from '../../src/oauth.js'
import { createEncryptedStore, createLocalKeyProvider } from '../../src/storage/encrypted.js'
import { createMemoryStore } from '../../src/storage/memory.js'

const key = Uint8Array.from({ length: 32 }, (_, index) => index)
const now = () => new Date('2026-01-01T00:00:00.000Z')
const caller = createCaller({ id: 'wendy', vaults: '*' })
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A store that remembers its collections, the index keys of its records, and the ids of its blobs. */
function watchWrites({ records, blobs }: VaultStore) {
  const collections = new Set<string>()
  const indexKeys = new Map<string, string | undefined>()
  const blobIds = new Set<string>()
  const watched: VaultStore = {
    records: {
      ...records,
      put({ collection, id }, record, expectedVersion) {
        collections.add(collection)
        indexKeys.set(`${collection}/${id}`, record.indexKey)
        return records.put({ collection, id }, record, expectedVersion)
      },
    },
    blobs: {
      ...blobs,
      write(id, content) {
        blobIds.add(id)
        return blobs.write(id, content)
      },
    },
  }
  return { watched, collections, indexKeys, blobIds }
}

/** Stores something in each form, and returns what is stored and what a service returns for it. */
async function createWorld(isEncrypted: boolean): Promise<object> {
  const inner = createMemoryStore()
  const { watched, collections, indexKeys, blobIds } = watchWrites(inner)
  const store = isEncrypted
    ? createEncryptedStore(watched, { keys: createLocalKeyProvider({ key }) })
    : watched
  const activity = createStoredActivityLog(store)
  const service = createVaultService({ store, activity, now, history: { maxVersions: 2 } })

  const { id: vaultId } = await service.createVault(caller, {
    name: 'Team',
    description: 'Stored by an earlier version',
  })
  const login = await service.createItem(caller, {
    vaultId,
    item: {
      category: 'LOGIN',
      title: 'Example',
      tags: ['work'],
      urls: [{ label: 'website', primary: true, href: 'https://example.com/login' }],
      sections: [{ id: 'more', label: 'More' }],
      fields: [
        { id: 'username', type: 'STRING', purpose: 'USERNAME', value: 'wendy' },
        { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', generate: true },
        { id: 'pin', type: 'CONCEALED', label: 'PIN', value: '1234', section: { id: 'more' } },
      ],
    },
  })
  const ref = { vaultId, itemId: login.id }
  for (const value of ['first', 'second'])
    await service.patchItem(caller, {
      ...ref,
      patch: [{ op: 'replace', path: '/fields/password/value', value }],
    })
  await service.attachFile(caller, { ...ref, name: 'small.txt', content: bytes('hello world') })
  await service.attachFile(caller, {
    ...{ ...ref, name: 'größer.bin', content: bytes('0123456789'.repeat(300)), sectionId: 'more' },
  })
  // An item under a chosen id that was used before, and a tombstone.
  const chosen = { vaultId, itemId: 'chosen'.padEnd(26, 'i') }
  const note = { category: 'SECURE_NOTE', title: 'Alarm code' } as const
  await service.createItem(caller, { ...chosen, item: note })
  await service.deleteItem(caller, chosen)
  await service.createItem(caller, { ...chosen, item: note })
  const gone = { vaultId, itemId: 'gone'.padEnd(26, 'i') }
  await service.createItem(caller, { ...gone, item: note })
  await service.deleteItem(caller, gone)
  const archived = await service.createItem(caller, {
    vaultId,
    item: { category: 'DATABASE', title: 'Orders' },
  })
  const state = { vaultId, itemId: archived.id, state: 'ARCHIVED' } as const
  await service.setItemState(caller, state)

  let isAccepted = true
  const kinds = {
    stripe: { fields: { key: {} }, verify: async () => isAccepted },
  }
  const credentials = createCredentials(service, kinds).of(caller, vaultId)
  await credentials.save('stripe', { key: 'sk_live_0123456789' }, { account: 'eu' })
  await credentials.save('stripe', { key: 'sk_live_9876543210' })
  await credentials.save('stripe', { key: 'sk_live_5555555555' }, { account: 'gone' })
  await credentials.remove('stripe', { account: 'gone' })
  await service.collectGarbage(caller, { vaultId })
  isAccepted = false
  await credentials.verify('stripe')
  const grants = vaultGrants(service, caller)
  const keeper = createTokenKeeper({
    ...{ grants, leases: store.records, now: service.now },
    refresh: async () => ({ accessToken: 'new', refreshToken: 'r2', expiresInSeconds: 3600 }),
  })
  const grant = { name: 'mail', accessToken: 'old', refreshToken: 'r1', expiresInSeconds: 0 }
  const granted = await grants.save(vaultId, grant)
  await keeper.accessToken(granted, caller)
  await keeper.close()
  await service.deleteItem(caller, { ...ref, ifVersion: 99 }).catch(() => {})

  // It has no activity log, so that reading adds no entries.
  const reader = createVaultService({ store, history: { maxVersions: 2 } })
  const items = await Promise.all(
    [login.id, chosen.itemId, archived.id].map((itemId) =>
      reader.getItem(caller, { vaultId, itemId }),
    ),
  )
  const versions = await reader.listVersions(caller, ref)
  let calls = 0
  for await (const { resource } of activity.entries({ vaultId }))
    if (resource.vault?.id === vaultId) calls++
  const oldest = Math.min(...versions.map(({ version }) => version))
  const records = []
  for (const collection of [...collections].sort())
    for (const { id, version, body } of await inner.records.list(collection, { limit: 1000 })) {
      const indexKey = indexKeys.get(`${collection}/${id}`)
      const text = Buffer.from(body).toString('base64')
      records.push({ collection, id, version, ...(indexKey && { indexKey }), body: text })
    }
  const blobs = []
  for (const id of blobIds) {
    const content = await inner.blobs.read(id)
    if (content === undefined) continue
    const body = Buffer.from(await new Response(content as BodyInit).arrayBuffer())
    blobs.push({ id, body: body.toString('base64') })
  }
  return {
    vault: await reader.getVault(caller, { vaultId }),
    ...{ items, versions },
    oldVersion: await reader.getVersion(caller, { ...ref, version: oldest }),
    credentials: await createCredentials(reader, kinds).of(caller, vaultId).list(),
    grant: granted,
    ...{ calls, records, blobs },
  }
}

const [version = ''] = process.argv.slice(2)
if (!/^\d+\.\d+$/.test(version)) throw new Error('pass the version, such as 0.1')
const vector = {
  key: Buffer.from(key).toString('base64'),
  plain: await createWorld(false),
  encrypted: await createWorld(true),
}
const file = new URL(`../../test/vectors/stored/${version}.json`, import.meta.url)
writeFileSync(file, `${JSON.stringify(vector, null, 1)}\n`)
